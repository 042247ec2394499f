import "./ui/tokens.css";
import "./ui/global.css";
import { render } from "preact";
import { startLive } from "./app/live";
import { startProject } from "./app/project";
import { Shell } from "./app/shell";

const root = document.getElementById("app");
if (root) render(<Shell />, root);
startLive();
startProject();
