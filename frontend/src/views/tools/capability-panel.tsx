import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { may } from "../../app/project";
import { navigate, pathTo, setQuery } from "../../app/router";
import {
  Badge,
  Bar,
  Button,
  Card,
  Code,
  Loaded,
  Properties,
  Skeleton,
  StateBadge,
  TextField,
  toastError,
} from "../../ui";
import { type Capability, commandOf } from "./model";

/** One capability: its code, the command that runs it, and a run from here. */
export function CapabilityPanel({ name }: { name: string }) {
  const shown = useResource(
    (signal) => answer(client.GET("/api/capabilities/{name}", { params: { path: { name } }, signal })),
    [name],
    ["tools", "runs"],
  );
  return (
    <Card title={<span class="truncate">{name}</span>}>
      <Loaded of={shown} skeleton={<Skeleton height={320} />}>
        {({ capability, code }) => (
          <div class="stack">
            <p class="muted">{capability.intent}</p>
            <Properties
              items={[
                [
                  "Success",
                  <Bar
                    key="success"
                    value={capability.success}
                    label="Success"
                    text={`${capability.successes} of ${capability.runs}`}
                    tone={capability.success >= 0.5 ? "good" : "warn"}
                  />,
                ],
                ["Tools", capability.tools.join(", ")],
              ]}
            />
            {capability.stale.length > 0 && (
              <p>
                <Badge tone="warn" icon="warning">
                  stale
                </Badge>{" "}
                <span class="muted">
                  Changed or removed since it last worked: {capability.stale.join(", ")}.
                </span>
              </p>
            )}
            <Code text={code} label="code" />
            <RunForm capability={capability} />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function RunForm({ capability }: { capability: Capability }) {
  const hasParameters = Object.keys(capability.parameters).length > 0;
  const [text, setText] = useState(() => JSON.stringify(capability.parameters, null, 2));
  const [busy, setBusy] = useState(false);
  const values = parsed(text);
  const run = async () => {
    if (!values) return;
    setBusy(true);
    try {
      const started = await answer(
        client.POST("/api/capabilities/{name}/runs", {
          params: { path: { name: capability.name }, header: { "X-Recollect": "1" } },
          body: { arguments: values },
        }),
      );
      navigate(pathTo("runs", started.run));
    } catch (failure) {
      toastError(failure);
      setBusy(false);
    }
  };
  return (
    <>
      {hasParameters && (
        <TextField
          label="Parameters"
          value={text}
          onValue={setText}
          lines={5}
          mono
          error={values ? undefined : "This is not a JSON object."}
        />
      )}
      <div class="row wrap">
        {may("tools.call") && (
          <Button variant="primary" icon="play" busy={busy} disabled={!values} onClick={() => void run()}>
            Run
          </Button>
        )}
        <span class="faint">Calls that need approval wait in its run.</span>
      </div>
      <Code text={commandOf(capability.name, values ?? {})} label="command" wrap />
    </>
  );
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** One tool, and every capability that uses it. */
export function ToolPanel({ tool, capabilities }: { tool: string; capabilities: readonly Capability[] }) {
  const tools = useResource((signal) => answer(client.GET("/api/tools", { signal })), [], ["tools"]);
  const offered = tools.data?.tools.find((each) => each.id === tool);
  const users = capabilities.filter((each) => each.tools.includes(tool));
  return (
    <Card
      title={<span class="truncate">{tool}</span>}
      actions={offered && <StateBadge state={offered.state} />}
    >
      <div class="stack">
        <p class="muted tools-description">
          {offered ? offered.description : "Its server no longer lists it."}
        </p>
        <h3>
          In {users.length} {users.length === 1 ? "capability" : "capabilities"}
        </h3>
        <ul class="row wrap" aria-label={`Capabilities with ${tool}`}>
          {users.map((each) => (
            <li key={each.name}>
              <Button size="small" onClick={() => setQuery({ capability: each.name, tool: undefined })}>
                {each.name}
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}
