import { useEffect, useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import type { components } from "../../api/schema";
import { useShortcuts } from "../../app/keyboard";
import { may } from "../../app/project";
import { navigate, pathTo, setQuery } from "../../app/router";
import {
  Badge,
  Button,
  Code,
  confirm,
  EmptyState,
  type IconName,
  Link,
  Loaded,
  Page,
  Skeleton,
  Split,
  StateBadge,
  sentenceCase,
  type Tone,
  toast,
  toastError,
  VirtualList,
} from "../../ui";
import type { ViewProps } from "..";
import { Content } from "../memories/content";
import { DraftDialog, MergeDialog } from "./dialogs";
import "../memories/memories.css";
import "./review.css";

export type WaitingRow = components["schemas"]["WaitingRow"];
type Act = components["schemas"]["DecisionBody"]["act"];
export type Decision = Partial<Omit<components["schemas"]["DecisionBody"], "kind" | "id">> & { act: Act };

const KINDS: Readonly<Record<string, { label: string; tone: Tone }>> = {
  approval: { label: "Approval", tone: "bad" },
  statement: { label: "Said", tone: "accent" },
  draft: { label: "Draft", tone: "accent" },
  tool: { label: "Changed tool", tone: "bad" },
  drift: { label: "Code changed", tone: "warn" },
  contradiction: { label: "Contradiction", tone: "constraint" },
  pin: { label: "Still true?", tone: "warn" },
  unused: { label: "Never used", tone: "runbook" },
  link: { label: "Missing link", tone: "decision" },
};
const ACTS: readonly { act: Act; key: string; icon: IconName }[] = [
  { act: "keep", key: "y", icon: "check" },
  { act: "edit", key: "e", icon: "edit" },
  { act: "merge", key: "m", icon: "link" },
  { act: "drop", key: "d", icon: "trash" },
];
const ROW = 66;

const keyOf = (item: WaitingRow) => `${item.kind} ${item.id}`;

/** Everything that waits for a person, decided one after the other by keyboard. */
export default function Review({ query }: ViewProps) {
  const review = useResource(
    (signal) => answer(client.GET("/api/review", { signal })),
    [],
    ["review", "memories"],
  );
  const [asking, setAsking] = useState<"edit" | "merge" | null>(null);
  const items = review.data?.items ?? [];
  const chosen = query.get("item") ?? "";
  const index = Math.max(
    0,
    items.findIndex((item) => keyOf(item) === chosen),
  );
  const item = items[index];
  const isOpen = chosen !== "" && item !== undefined;
  const select = (next: WaitingRow | undefined) => setQuery({ item: next ? keyOf(next) : "" });
  const decide = async (decision: Decision) => {
    if (!item) return;
    const next = items[index + 1] ?? items[index - 1];
    if (await decided(item, decision, review.reload)) {
      if (decision.act !== "edit") select(next);
      review.reload();
    }
  };
  const start = (act: Act) => {
    if (!item || !(act in item.acts)) return;
    if (act === "edit" && !item.document) navigate(`${pathTo("memories", item.memory ?? "")}?edit=1`);
    else if (act === "edit" || act === "merge") setAsking(act);
    else void decide({ act });
  };
  useShortcuts(
    ACTS.filter(({ act }) => item && may("review.decide") && act in item.acts).map(({ act, key }) => ({
      keys: key,
      label: sentenceCase(act),
      group: "Review",
      run: () => start(act),
    })),
  );
  useEffect(() => {
    if (chosen && review.data && !items.some((other) => keyOf(other) === chosen)) setQuery({ item: "" });
  }, [chosen, review.data, items]);
  return (
    <Page title="Review" subtitle="What is waiting for your decision" fill wide>
      <Loaded of={review} skeleton={<Skeleton height={320} />}>
        {() =>
          item ? (
            <Split
              label="Item"
              open={isOpen}
              list={
                <VirtualList
                  label="Waiting"
                  items={items}
                  itemKey={keyOf}
                  rowHeight={ROW}
                  render={(row) => <WaitingItem item={row} />}
                  selected={keyOf(item)}
                  onSelect={select}
                  onOpen={select}
                  keyboard
                />
              }
              detail={<Item key={keyOf(item)} item={item} onAct={start} onClose={() => select(undefined)} />}
            />
          ) : (
            <EmptyState icon="review" title="Nothing is waiting for you">
              Drafted summaries and runbooks, suggested links, changed tools, and memories that drifted,
              contradict each other or are never used appear here for a decision.
            </EmptyState>
          )
        }
      </Loaded>
      {item && asking === "edit" && (
        <DraftDialog item={item} onClose={() => setAsking(null)} onDecide={decide} />
      )}
      {item && asking === "merge" && (
        <MergeDialog item={item} onClose={() => setAsking(null)} onDecide={decide} />
      )}
    </Page>
  );
}

/** Do what was decided; acts that cannot be undone ask once. Whether it was done. */
async function decided(item: WaitingRow, decision: Decision, reload: () => void): Promise<boolean> {
  const text = item.acts[decision.act] ?? "";
  if (item.asks.includes(decision.act)) {
    const question = {
      title: `${sentenceCase(text)}?`,
      text: item.title,
      action: sentenceCase(decision.act),
    };
    if (!(await confirm({ ...question, danger: decision.act === "drop" }))) return false;
  }
  const header = { "X-Recollect": "1" as const };
  const body = { target: "", fields: {}, ...decision, kind: item.kind, id: item.id };
  try {
    const out = await answer(client.POST("/api/review", { params: { header }, body }));
    const takeBack = async (data: Record<string, unknown>) => {
      const undo = { kind: item.kind, undo: data };
      await answer(client.POST("/api/review/undo", { params: { header }, body: undo }));
      reload();
    };
    const data = out.undo as Record<string, unknown> | null;
    toast({ text: out.text, tone: "good", ...(data ? { undo: () => takeBack(data) } : {}) });
    return true;
  } catch (failure) {
    toastError(failure);
    return false;
  }
}

function KindBadge({ kind }: { kind: string }) {
  const known = KINDS[kind];
  return <Badge tone={known?.tone ?? "neutral"}>{known?.label ?? sentenceCase(kind)}</Badge>;
}

function WaitingItem({ item }: { item: WaitingRow }) {
  return (
    <div class="memories-row">
      <span class="memories-row-title">{item.title}</span>
      <div class="memories-row-badges">
        <KindBadge kind={item.kind} />
        <span class="faint truncate">{sentenceCase(item.reason)}</span>
      </div>
    </div>
  );
}

function Item({
  item,
  onAct,
  onClose,
}: {
  item: WaitingRow;
  onAct: (act: Act) => void;
  onClose: () => void;
}) {
  const offered = may("review.decide") ? ACTS.filter(({ act }) => act in item.acts) : [];
  return (
    <article class="review-item" aria-label={item.title}>
      <div class="memories-back">
        <Button size="small" variant="quiet" icon="arrow-left" onClick={onClose}>
          Review
        </Button>
      </div>
      <header class="memories-head">
        <div class="row wrap">
          <KindBadge kind={item.kind} />
          {offered.length === 0 && <StateBadge state="waiting" label="for a person" />}
        </div>
        <h2>{item.title}</h2>
        <p class="muted">{sentenceCase(item.reason)}.</p>
        <div class="row wrap">
          {offered.map(({ act, key, icon }) => (
            <Button
              key={act}
              icon={icon}
              keys={key}
              variant={act === "keep" ? "primary" : "default"}
              title={sentenceCase(item.acts[act] ?? "")}
              onClick={() => onAct(act)}
            >
              {sentenceCase(act)}
            </Button>
          ))}
        </div>
      </header>
      <dl class="review-acts">
        {offered.map(({ act }) => (
          <div key={act}>
            <dt>{sentenceCase(act)}</dt>
            <dd>{item.acts[act]}</dd>
          </div>
        ))}
      </dl>
      {item.details.length > 0 && <Code text={item.details.join("\n")} label="Details" wrap />}
      {item.document && <Content document={item.document} form={undefined} />}
      {item.memory && <Link to={pathTo("memories", item.memory)}>Open the memory {item.memory}</Link>}
    </article>
  );
}
