import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { navigate, pathTo } from "../../app/router";
import { Badge, EmptyState, Loaded, Page, Select, Skeleton, Time } from "../../ui";
import type { ViewProps } from "..";
import { Events, Redactions } from "./events";
import { Injections } from "./injections";
import { type SessionPage, type SessionRow, sessionChoices } from "./model";
import { WorkingMemory } from "./working-memory";
import "./session.css";

export default function SessionView({ path }: ViewProps) {
  const id = path[0] ?? "";
  const sessions = useResource((signal) => answer(client.GET("/api/sessions", { signal })), [], ["session"]);
  const session = useResource(
    (signal) => answer(client.GET("/api/session", { params: { query: { id } }, signal })),
    [id],
    ["session", "memories"],
  );
  return (
    <Page
      title="Session"
      subtitle={session.data?.session && <Subtitle session={session.data.session} />}
      actions={sessions.data && <Chooser sessions={sessions.data.sessions} id={id} />}
    >
      <Loaded of={session} skeleton={<Skeleton height={420} />}>
        {(data) => (data.session ? <Content page={data} /> : <NoSession />)}
      </Loaded>
    </Page>
  );
}

function Chooser({ sessions, id }: { sessions: readonly SessionRow[]; id: string }) {
  if (sessions.length === 0) return null;
  return (
    <Select
      label="Session"
      hideLabel
      value={id}
      onValue={(value) => navigate(value ? pathTo("session", value) : "/session")}
      choices={sessionChoices(sessions, id)}
    />
  );
}

function Subtitle({ session }: { session: SessionRow }) {
  return (
    <>
      {session.harness}, seen <Time at={session.seen_at} />
      {session.goal && <> · {session.goal}</>}
    </>
  );
}

function Content({ page }: { page: SessionPage }) {
  return (
    <div class="session-columns">
      <div class="stack">
        <WorkingMemory page={page} />
        <Events page={page} />
        <Redactions page={page} />
      </div>
      <div class="stack">
        <Injections rows={page.injections} />
      </div>
    </div>
  );
}

function NoSession() {
  return (
    <EmptyState icon="session" title="No session yet">
      When a coding agent works in this project, what it pays attention to appears here as it happens.{" "}
      <code>recollect init</code> connects an agent. <Badge>live</Badge>
    </EmptyState>
  );
}
