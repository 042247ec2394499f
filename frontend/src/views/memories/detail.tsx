import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { useShortcuts } from "../../app/keyboard";
import { may } from "../../app/project";
import { pathTo, setQuery } from "../../app/router";
import {
  Badge,
  Button,
  CategoryBadge,
  Dialog,
  EmptyState,
  IconButton,
  Id,
  Link,
  Loaded,
  Properties,
  Skeleton,
  StackedBar,
  StateBadge,
  Tabs,
  TextField,
  Time,
} from "../../ui";
import { restore, retire } from "./acts";
import { Content } from "./content";
import { dropEdit, loadEdit } from "./draft-store";
import { Editor } from "./editor";
import { type Explanation, scoreParts } from "./explanation";
import { History } from "./history";
import { LinkDialog, Links } from "./links";
import type { HitRow, MemoryForms, MemoryPage } from "./types";

interface DetailProps {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly forms: MemoryForms | undefined;
  readonly hit: HitRow | undefined;
  readonly onClose: () => void;
}

/** One memory, read again when a file changes. */
export function Detail({ id, query, forms, hit, onClose }: DetailProps) {
  const memory = useResource(
    (signal) => answer(client.GET("/api/memories/{id}", { params: { path: { id } }, signal })),
    [id],
    ["memories"],
  );
  return (
    <div class="memories-detail">
      <div class="memories-back">
        <Button size="small" variant="quiet" icon="arrow-left" onClick={onClose}>
          Memories
        </Button>
      </div>
      <Loaded of={memory} skeleton={<Skeleton lines={8} />}>
        {(page) => <Sheet page={page} query={query} forms={forms} hit={hit} />}
      </Loaded>
    </div>
  );
}

interface SheetProps {
  readonly page: MemoryPage;
  readonly query: URLSearchParams;
  readonly forms: MemoryForms | undefined;
  readonly hit: HitRow | undefined;
}

const startEdit = () => setQuery({ edit: "1", tab: "" });

function Sheet({ page, query, forms, hit }: SheetProps) {
  const form = formOf(page, forms);
  const writes = may("memories.write");
  const editing = writes && query.get("edit") === "1" && form !== undefined;
  return (
    <article aria-label={page.memory.title}>
      <header class="memories-head">
        <div class="row wrap">
          <CategoryBadge category={page.memory.category ?? ""} />
          {page.in_force ? (
            <StateBadge state="live" label="in force" />
          ) : (
            <Badge tone="warn">{page.not_in_force}</Badge>
          )}
          {page.scope === "user" && <Badge>yours, in every project</Badge>}
        </div>
        <h2>{page.memory.title}</h2>
        {writes && !editing && <Acts page={page} forms={forms} />}
      </header>
      {editing ? (
        <Editor page={page} form={form} onDone={() => setQuery({ edit: "" })} />
      ) : (
        <>
          <UnsavedNotice id={page.id} onContinue={startEdit} />
          <Panels page={page} query={query} forms={forms} hit={hit} />
        </>
      )}
    </article>
  );
}

function formOf(page: MemoryPage, forms: MemoryForms | undefined) {
  return forms?.categories.find(({ category }) => category === page.memory.category);
}

function Acts({ page, forms }: { page: MemoryPage; forms: MemoryForms | undefined }) {
  const [asking, setAsking] = useState<"link" | "retire" | null>(null);
  const isGone = page.memory.record_status === "retired" || page.memory.record_status === "archived";
  const toggle = () => (isGone ? void restore(page.id) : setAsking("retire"));
  const close = () => setAsking(null);
  useShortcuts([
    { keys: "e", label: "Edit", group: "Memory", run: startEdit },
    { keys: "l", label: "Link to another", group: "Memory", run: () => setAsking("link") },
    { keys: "x", label: isGone ? "Restore" : "Retire", group: "Memory", run: toggle },
  ]);
  return (
    <div class="row wrap">
      <Button icon="edit" keys="e" onClick={startEdit} disabled={!forms}>
        Edit
      </Button>
      <Button icon="link" keys="l" onClick={() => setAsking("link")}>
        Link
      </Button>
      <Button icon={isGone ? "restore" : "trash"} keys="x" onClick={toggle}>
        {isGone ? "Restore" : "Retire"}
      </Button>
      {asking === "link" && <LinkDialog id={page.id} types={forms?.link_types ?? []} onClose={close} />}
      {asking === "retire" && <RetireDialog id={page.id} onClose={close} />}
    </div>
  );
}

function Panels({ page, query, forms, hit }: SheetProps) {
  const panels = [
    { value: "memory", label: "Memory", panel: <Body page={page} forms={forms} /> },
    ...(hit ? [{ value: "score", label: "Why it was found", panel: <Score hit={hit} /> }] : []),
    { value: "history", label: "History", panel: <History id={page.id} /> },
  ];
  const current = panels.find(({ value }) => value === query.get("tab")) ?? panels[0];
  return (
    <Tabs
      label="About this memory"
      value={current?.value ?? "memory"}
      onValue={(value) => setQuery({ tab: value === "memory" ? "" : value })}
      tabs={panels}
    >
      {current?.panel}
    </Tabs>
  );
}

function UnsavedNotice({ id, onContinue }: { id: string; onContinue: () => void }) {
  const [gone, setGone] = useState(false);
  if (gone || !loadEdit(id)) return null;
  const discard = () => {
    dropEdit(id);
    setGone(true);
  };
  return (
    <div class="memories-notice" role="status">
      <span class="grow">You have unsaved changes to this memory.</span>
      <Button size="small" onClick={discard}>
        Discard
      </Button>
      <Button size="small" variant="primary" onClick={onContinue}>
        Continue
      </Button>
    </div>
  );
}

function Body({ page, forms }: { page: MemoryPage; forms: MemoryForms | undefined }) {
  const form = formOf(page, forms);
  return (
    <div class="memories-body">
      {page.superseded_by.length > 0 && (
        <p class="memories-notice">
          <span>
            Superseded by{" "}
            {page.superseded_by.map((id, index) => (
              <span key={id}>
                {index > 0 && ", "}
                <Link to={pathTo("memories", id)}>{id}</Link>
              </span>
            ))}
          </span>
        </p>
      )}
      <Content document={page.memory} form={form} />
      <section>
        <h3>Links</h3>
        <Links id={page.id} links={page.links} />
      </section>
      {page.anchors.length > 0 && (
        <section>
          <h3>Anchored to code</h3>
          <ul class="memories-anchors">
            {page.anchors.map((anchor) => (
              <li key={anchor.path}>
                <code>{anchor.path}</code>
                <StateBadge
                  state={anchor.verdict === "fresh" ? "live" : anchor.verdict}
                  label={anchor.verdict}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
      <Properties items={properties(page)} />
    </div>
  );
}

function properties(page: MemoryPage) {
  const { memory } = page;
  const { source } = memory;
  const files = memory.related_files ?? [];
  return [
    ["Tags", (memory.tags ?? []).join(" · ")],
    ["Id", <Id key="id" value={page.id} />],
    ["File", <Id key="file" value={page.path} />],
    ["Changed", <Time key="changed" at={String(memory.updated_at)} />],
    ["Created", <Time key="created" at={String(memory.created_at)} />],
    ...(files.length ? [["Related files", files.join(", ")] as const] : []),
    ...(source?.kind ? [["Written by", source.kind] as const] : []),
    ...(memory.valid_to ? [["Valid until", String(memory.valid_to)] as const] : []),
    ...(memory.retired_reason ? [["Retired because", String(memory.retired_reason)] as const] : []),
  ] as const;
}

function Score({ hit }: { hit: HitRow }) {
  const explanation = hit.explanation as Explanation | undefined;
  if (!explanation) return null;
  return (
    <div class="memories-body">
      <p class="memories-total number">{hit.score.toFixed(3)}</p>
      <StackedBar parts={scoreParts(explanation)} label="Score" max={1} />
      <p class="muted">
        The parts add up to the score; the highest possible score is 1.{" "}
        {hit.overdue ? `It is ${hit.overdue}.` : ""}
      </p>
    </div>
  );
}

function RetireDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const act = () => {
    onClose();
    void retire(id, reason);
  };
  return (
    <Dialog
      title="Retire this memory?"
      open
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" onClick={act}>
            Retire
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act();
        }}
      >
        <TextField
          label="Why"
          hint="Stored in the memory. It can be restored."
          value={reason}
          onValue={setReason}
        />
      </form>
    </Dialog>
  );
}

/** What stands where no memory is open. */
export function NothingOpen() {
  return (
    <EmptyState icon="memories" title="Choose a memory">
      <kbd>j</kbd> and <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>/</kbd> searches.
    </EmptyState>
  );
}

export function SkillNote({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <EmptyState
      icon="tools"
      title={id.slice("skill:".length)}
      action={<IconButton icon="close" label="Close" onClick={onClose} />}
    >
      This is a skill. It lives in a file of its own; <code>recollect show {id}</code> prints it.
    </EmptyState>
  );
}
