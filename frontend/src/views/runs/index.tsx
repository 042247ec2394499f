import type { ViewProps } from "..";
import { RunList } from "./run-list";
import { RunPage } from "./run-page";
import "./runs.css";

export default function Runs({ path, query }: ViewProps) {
  const run = path[0];
  return run ? <RunPage key={run} run={run} query={query} /> : <RunList query={query} />;
}
