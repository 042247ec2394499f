import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { useShortcuts } from "../../app/keyboard";
import { setQuery } from "../../app/router";
import {
  Badge,
  Card,
  type Column,
  EmptyState,
  Id,
  Loaded,
  Skeleton,
  StateBadge,
  Table,
  Time,
} from "../../ui";
import type { OfferedTool, Server } from "./model";

const MOST = 300; // tools that are listed
const STATES: Readonly<Record<string, string>> = {
  configured: "not listed yet",
  known: "not running",
  started: "running",
  leased: "in use",
};

const COLUMNS: readonly Column<Server>[] = [
  { key: "state", title: "State", width: "1%", render: (server) => <ServerState server={server} /> },
  { key: "name", title: "Server", render: (server) => <b>{server.name}</b> },
  {
    key: "target",
    title: "Reached by",
    minor: true,
    render: (server) => <Id value={`${server.transport} ${server.target}`} />,
  },
  { key: "tools", title: "Tools", align: "end", render: (server) => server.tools },
  {
    key: "blocked",
    title: "Blocked",
    align: "end",
    render: (server) => (server.blocked ? <Badge tone="warn">{server.blocked}</Badge> : 0),
  },
  { key: "clients", title: "Clients", align: "end", minor: true, render: (server) => server.clients },
  {
    key: "failures",
    title: "Failures",
    align: "end",
    minor: true,
    render: (server) => (server.failures ? <Badge tone="bad">{server.failures}</Badge> : 0),
  },
  {
    key: "listed",
    title: "Listed",
    align: "end",
    minor: true,
    render: (server) => (server.listed_at ? <Time at={server.listed_at} /> : "never"),
  },
];

function ServerState({ server }: { server: Server }) {
  if (!server.enabled) return <StateBadge state="off" label="switched off" />;
  if (server.breaker === "open") return <StateBadge state="failed" label="fails" />;
  return <StateBadge state={server.state} label={STATES[server.state] ?? server.state} />;
}

const TOOL_COLUMNS: readonly Column<OfferedTool>[] = [
  {
    key: "name",
    title: "Tool",
    render: (tool) => (
      <div class="tools-name">
        <b>{tool.name}</b>
        <p class="muted">{tool.description}</p>
      </div>
    ),
  },
  {
    key: "effect",
    title: "Effect",
    width: "1%",
    render: (tool) => (
      <Badge tone={tool.read_only ? "good" : "warn"}>{tool.read_only ? "reads" : "may write"}</Badge>
    ),
  },
  {
    key: "state",
    title: "Version",
    width: "1%",
    minor: true,
    render: (tool) => <StateBadge state={tool.state} />,
  },
  {
    key: "capabilities",
    title: "In capabilities",
    minor: true,
    render: (tool) => tool.capabilities.join(", "),
  },
];

/** Every server with its state; the tools of the selected one below. */
export function Servers({ servers, query }: { servers: readonly Server[]; query: URLSearchParams }) {
  const selected = servers.find((server) => server.name === query.get("server")) ?? servers[0];
  const index = selected ? servers.indexOf(selected) : -1;
  const go = (step: number) => {
    const next = servers[Math.max(0, Math.min(servers.length - 1, index + step))];
    if (next) setQuery({ server: next.name });
  };
  useShortcuts([
    { keys: "j", label: "Next server", group: "Tools", run: () => go(1) },
    { keys: "k", label: "Previous server", group: "Tools", run: () => go(-1) },
  ]);
  return (
    <div class="stack">
      <Card flush>
        <Table
          label="Servers"
          columns={COLUMNS}
          rows={servers}
          rowKey={(server) => server.name}
          selected={selected?.name}
          onOpen={(server) => setQuery({ server: server.name })}
        />
      </Card>
      {selected && <ServerTools server={selected} />}
    </div>
  );
}

function ServerTools({ server }: { server: Server }) {
  const tools = useResource((signal) => answer(client.GET("/api/tools", { signal })), [], ["tools"]);
  return (
    <Card flush title={`Tools of ${server.name}`}>
      <Loaded of={tools} skeleton={<Skeleton height={240} />}>
        {(data) => {
          const own = data.tools.filter((tool) => tool.server === server.name);
          if (!own.length)
            return (
              <EmptyState icon="tools" title="No tools">
                It has not listed any, or it is switched off.{" "}
                <code>recollect gateway test {server.name}</code> lists them.
              </EmptyState>
            );
          return (
            <>
              <Table
                label="Tools"
                columns={TOOL_COLUMNS}
                rows={own.slice(0, MOST)}
                rowKey={(tool) => tool.id}
              />
              {own.length > MOST && (
                <p class="faint tools-more">
                  The first {MOST} of {own.length.toLocaleString("en")} tools.
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
