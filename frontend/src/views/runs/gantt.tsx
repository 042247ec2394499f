import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { setQuery } from "../../app/router";
import { Badge, Button, Card, duration, Loaded, Segmented, Skeleton, stateTone } from "../../ui";
import {
  KIND_NAMES,
  pathText,
  realScale,
  rowText,
  type Scale,
  type Timeline,
  type TimelineSpan,
  type TimelineTask,
  ticks,
  workingScale,
} from "./timeline";

const PAGE = 100; // rows that are drawn at once
const LEGEND = ["running", "queued", "approval", "calls", "retry", "doubt"] as const;

interface GanttProps {
  readonly run: string;
  readonly task: string | undefined;
  readonly select: (id: string | undefined) => void;
  readonly scale: string;
}

/** When each task waited and ran. */
export function Gantt({ run, task, select, scale }: GanttProps) {
  const timeline = useResource(
    (signal) => answer(client.GET("/api/runs/{run}/timeline", { params: { path: { run } }, signal })),
    [run],
    ["runs"],
  );
  return (
    <Loaded of={timeline} skeleton={<Skeleton height={360} />}>
      {(data) => <Drawn timeline={data} task={task} select={select} scale={scale} />}
    </Loaded>
  );
}

function Drawn({
  timeline,
  task,
  select,
  scale,
}: {
  timeline: Timeline;
  task: string | undefined;
  select: (id: string | undefined) => void;
  scale: string;
}) {
  const [shown, setShown] = useState(PAGE);
  const place = scale === "working" ? workingScale(timeline) : realScale(timeline);
  const critical = new Set(timeline.path);
  const rows = timeline.tasks.slice(0, shown);
  return (
    <div class="gantt-frame">
      <Card
        title={`Timeline, ${duration(timeline.milliseconds)}`}
        actions={
          <Segmented
            label="Scale"
            value={scale}
            onValue={(value) => setQuery({ scale: value === "real" ? undefined : value })}
            choices={[
              { value: "real", label: "Real time" },
              { value: "working", label: "Without waiting" },
            ]}
          />
        }
      >
        <div class="stack">
          <CriticalPath timeline={timeline} />
          <div class="gantt">
            {scale !== "working" && <Axis total={timeline.milliseconds} />}
            {rows.map((row) => (
              <Row
                key={row.id}
                row={row}
                place={place}
                critical={critical.has(row.id)}
                selected={row.id === task}
                select={select}
              />
            ))}
          </div>
          {timeline.tasks.length > shown && (
            <Button variant="quiet" onClick={() => setShown(shown + PAGE)}>
              Show more of {timeline.tasks.length.toLocaleString("en")} tasks
            </Button>
          )}
          <ul class="legend" aria-label="Colours">
            {LEGEND.map((kind) => (
              <li key={kind}>
                <span class="gantt-key" data-kind={kind} data-tone="accent" />
                {KIND_NAMES[kind]}
              </li>
            ))}
          </ul>
        </div>
      </Card>
    </div>
  );
}

function CriticalPath({ timeline }: { timeline: Timeline }) {
  if (!timeline.path.length) return null;
  return (
    <p class="gantt-path">
      <Badge tone="constraint">Critical path</Badge>
      <span>{timeline.path.join(" → ")}</span>
      <span class="faint">{pathText(timeline)}</span>
    </p>
  );
}

function Axis({ total }: { total: number }) {
  return (
    <div class="gantt-axis" aria-hidden="true">
      <span>0</span>
      {ticks(total).map(({ moment, text }) => (
        <span key={moment} style={{ right: `${(1 - moment / total) * 100}%` }}>
          {text}
        </span>
      ))}
    </div>
  );
}

function Row({
  row,
  place,
  critical,
  selected,
  select,
}: {
  row: TimelineTask;
  place: Scale;
  critical: boolean;
  selected: boolean;
  select: (id: string) => void;
}) {
  return (
    <button
      type="button"
      class={`gantt-row ${critical ? "critical" : ""} ${row.parent ? "child" : ""}`}
      aria-label={rowText(row, critical)}
      aria-pressed={selected}
      onClick={() => select(row.id)}
    >
      <span class="gantt-name truncate">{row.id}</span>
      <span class="gantt-track">
        {row.spans.map((span) => (
          <SpanBar key={`${span.kind}${span.start}`} span={span} row={row} place={place} />
        ))}
      </span>
    </button>
  );
}

function SpanBar({ span, row, place }: { span: TimelineSpan; row: TimelineTask; place: Scale }) {
  const left = place(span.start);
  const isLast = span === row.spans.at(-1);
  const tone = span.kind === "running" ? (isLast ? stateTone(row.status) : "accent") : "neutral";
  return (
    <span
      class="gantt-span"
      data-kind={span.kind}
      data-tone={tone}
      title={`${KIND_NAMES[span.kind]} ${duration(span.end - span.start)}`}
      style={{
        left: `min(${left * 100}%, 100% - var(--narrowest))`,
        width: `${(place(span.end) - left) * 100}%`,
      }}
    />
  );
}
