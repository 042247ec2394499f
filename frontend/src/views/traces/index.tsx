import { setQuery } from "../../app/router";
import { Page, Tabs } from "../../ui";
import type { ViewProps } from "..";
import { Decisions } from "./decisions";
import { Distributions } from "./distributions";
import { Replay } from "./replay";
import { Thresholds } from "./thresholds";
import "./traces.css";

const TABS = [
  { value: "decisions", label: "Decisions" },
  { value: "distributions", label: "Distributions" },
  { value: "thresholds", label: "Thresholds" },
  { value: "replay", label: "Replay" },
];

export default function TracesView({ path, query }: ViewProps) {
  const asked = query.get("tab") ?? "";
  const tab = TABS.some((choice) => choice.value === asked) ? asked : "decisions";
  return (
    <Page
      title="Traces"
      subtitle="How decisions were scored, and whether they were right. The request itself is not stored."
    >
      <Tabs
        label="Traces"
        value={tab}
        onValue={(value) => setQuery({ tab: value === "decisions" ? undefined : value })}
        tabs={TABS}
      >
        {tab === "decisions" && <Decisions scoring={path[0]} kind={query.get("kind") ?? ""} />}
        {tab === "distributions" && <Distributions kind={query.get("kind") ?? ""} />}
        {tab === "thresholds" && <Thresholds />}
        {tab === "replay" && <Replay query={query} />}
      </Tabs>
    </Page>
  );
}
