import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Resource } from "../api/resource";
import { Button, IconButton } from "./controls";
import { Icon, type IconName } from "./icons";
import { absoluteTime, relativeTime } from "./time";
import "./display.css";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad" | Category;
export type Category = "decision" | "constraint" | "preference" | "runbook" | "debt";

const CATEGORY_NAMES: Readonly<Record<Category, string>> = {
  decision: "Decision",
  constraint: "Constraint",
  preference: "Preference",
  runbook: "Runbook",
  debt: "Tech debt",
};

/** The category of a memory as the server names it: "decisions", "tech_debt"... Unknown ones are neutral. */
export function categoryTone(name: string): Category | "neutral" {
  const plain = name.toLowerCase();
  if (plain.includes("debt")) return "debt";
  const known = Object.keys(CATEGORY_NAMES) as Category[];
  return known.find((category) => plain.startsWith(category)) ?? "neutral";
}

const STATE_TONES: Readonly<Record<string, Tone>> = {
  running: "accent",
  started: "accent",
  ready: "accent",
  active: "accent",
  succeeded: "good",
  completed: "good",
  finished: "good",
  ok: "good",
  connected: "good",
  approved: "good",
  leased: "good",
  live: "good",
  waiting: "warn",
  paused: "warn",
  retrying: "warn",
  review: "warn",
  degraded: "warn",
  drifted: "warn",
  partial: "warn",
  in_doubt: "warn",
  changed: "warn",
  failed: "bad",
  error: "bad",
  rejected: "bad",
  aborted: "bad",
  broken: "bad",
};

/** The colour of a state of a run, task, server or check. */
export function stateTone(state: string): Tone {
  const plain = state.toLowerCase();
  return STATE_TONES[plain] ?? STATE_TONES[plain.split(/[_ -]/)[0] ?? ""] ?? "neutral";
}

export function Badge({
  tone = "neutral",
  icon,
  children,
  title,
}: {
  tone?: Tone;
  icon?: IconName;
  children: ComponentChildren;
  title?: string;
}) {
  return (
    <span class="badge" data-tone={tone} title={title}>
      {icon && <Icon name={icon} size={13} />}
      {children}
    </span>
  );
}

export function CategoryBadge({ category }: { category: string }) {
  const tone = categoryTone(category);
  return <Badge tone={tone}>{tone === "neutral" ? sentenceCase(category) : CATEGORY_NAMES[tone]}</Badge>;
}

/** A name of the format as people read it: "session_summary" is "Session summary". */
export function sentenceCase(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A state in its colour, with a dot, so that it is not known by colour alone. */
export function StateBadge({ state, label }: { state: string; label?: string }) {
  return (
    <span class="badge state" data-tone={stateTone(state)}>
      <span class="dot" />
      {label ?? state.replaceAll("_", " ")}
    </span>
  );
}

/** A share drawn as a bar: attention, confidence, a rate. `text` is what stands beside it. */
export function Bar({
  value,
  max = 1,
  label,
  text,
  tone = "accent",
}: {
  value: number;
  max?: number;
  label: string;
  text?: string;
  tone?: Tone;
}) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <div class="bar-row">
      <div
        class="bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={value}
        data-tone={tone}
      >
        <div class="fill" style={{ width: `${share * 100}%` }} />
      </div>
      {text !== undefined && <span class="number faint">{text}</span>}
    </div>
  );
}

export interface BarPart {
  readonly label: string;
  readonly value: number;
  readonly tone?: Tone;
}

/** What a score is made of, in one bar with a legend. Parts that take away are drawn after a gap, striped. */
export function StackedBar({
  parts,
  label,
  max,
  legend = true,
}: {
  parts: readonly BarPart[];
  label: string;
  max?: number;
  legend?: boolean;
}) {
  const total = max ?? parts.reduce((sum, part) => sum + Math.abs(part.value), 0);
  const shown = parts.filter((part) => part.value !== 0);
  const text = shown.map((part) => `${part.label} ${formatScore(part.value)}`).join(", ");
  return (
    <div class="stacked">
      <div class="bar stack-bar" role="img" aria-label={`${label}: ${text || "nothing"}`}>
        {shown.map((part, index) => (
          <div
            key={part.label}
            class={part.value < 0 ? "fill negative" : "fill"}
            title={`${part.label}: ${formatScore(part.value)}`}
            data-tone={part.tone ?? SERIES_TONES[index % SERIES_TONES.length]}
            style={{ width: `${total > 0 ? (Math.abs(part.value) / total) * 100 : 0}%` }}
          />
        ))}
      </div>
      {legend && (
        <ul class="legend" aria-hidden="true">
          {shown.map((part, index) => (
            <li key={part.label}>
              <span class="swatch" data-tone={part.tone ?? SERIES_TONES[index % SERIES_TONES.length]} />
              {part.label} <span class="number">{formatScore(part.value)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Colours of series without a meaning of their own, in order. */
export const SERIES_TONES: readonly Tone[] = [
  "accent",
  "preference",
  "runbook",
  "debt",
  "decision",
  "constraint",
];

function formatScore(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) < 0.1 ? 3 : 2);
}

export function Card({
  title,
  actions,
  children,
  flush,
  label,
}: {
  title?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
  flush?: boolean;
  label?: string;
}) {
  return (
    <section
      class={flush ? "card flush" : "card"}
      aria-label={label ?? (typeof title === "string" ? title : undefined)}
    >
      {(title || actions) && (
        <header class="card-head">
          <h2>{title}</h2>
          <div class="row">{actions}</div>
        </header>
      )}
      <div class="card-body">{children}</div>
    </section>
  );
}

/** One number that matters, with its name and what it means. */
export function Stat({
  label,
  value,
  unit,
  note,
  tone = "neutral",
}: {
  label: string;
  value: ComponentChildren;
  unit?: string;
  note?: ComponentChildren;
  tone?: Tone;
}) {
  return (
    <div class="stat" data-tone={tone}>
      <dt>{label}</dt>
      <dd>
        <span class="stat-value number">{value}</span>
        {unit && <span class="stat-unit">{unit}</span>}
      </dd>
      {note && <dd class="faint">{note}</dd>}
    </div>
  );
}

/** What a view says when it has nothing to show: what would be here, and how it gets here. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <div class="empty-icon">
        <Icon name={icon} size={26} />
      </div>
      <h2>{title}</h2>
      {children && <div class="empty-text muted">{children}</div>}
      {action}
    </div>
  );
}

export function ErrorState({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div class="empty" role="alert">
      <div class="empty-icon bad">
        <Icon name="warning" size={26} />
      </div>
      <h2>This could not be read</h2>
      <p class="empty-text muted">{error.message}</p>
      {retry && (
        <Button icon="restore" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A placeholder of the final size: nothing moves when the data comes. */
export function Skeleton({ lines = 3, height }: { lines?: number; height?: number }) {
  if (height !== undefined)
    return <div class="skeleton" style={{ height: `${height}px` }} aria-hidden="true" />;
  return (
    <div class="skeleton-lines" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => 92 - ((index * 17) % 40)).map((width) => (
        <div key={width} class="skeleton line" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** The data of a resource, or its skeleton, or its error. Old data stays while new data is read. */
export function Loaded<T>({
  of,
  skeleton,
  children,
}: {
  of: Resource<T>;
  skeleton: ComponentChildren;
  children: (data: T) => ComponentChildren;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <ErrorState error={of.error} retry={of.reload} />;
  return (
    <div role="status" aria-label="Loading">
      {skeleton}
    </div>
  );
}

/** A moment as "5 min ago", with the exact time in its title. */
export function Time({ at }: { at: string | number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 30_000);
    return () => window.clearInterval(timer);
  }, []);
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return <span>{String(at)}</span>;
  return (
    <time dateTime={moment.toISOString()} title={absoluteTime(moment)}>
      {relativeTime(moment.getTime(), now)}
    </time>
  );
}

/** An id, shortened in its middle when there is no room, with its whole text in the title. */
export function Id({ value }: { value: string }) {
  return (
    <code class="id truncate" title={value}>
      {value}
    </code>
  );
}

/** Code or output as it is, with a button that copies it. */
export function Code({ text, label, wrap }: { text: string; label: string; wrap?: boolean }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label} class={wrap ? "wrap" : ""}>
        {text}
      </pre>
      <CopyButton text={text} label={`Copy ${label}`} />
    </div>
  );
}

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const timer = useRef(0);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    timer.current = window.setTimeout(() => setCopied(false), 1600);
  };
  return (
    <IconButton
      size="small"
      icon={copied ? "check" : "copy"}
      label={copied ? "Copied" : label}
      onClick={copy}
    />
  );
}

/** Names and values of one thing. */
export function Properties({ items }: { items: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="properties">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
