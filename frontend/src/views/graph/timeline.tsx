import { useId } from "preact/hooks";
import { Button } from "../../ui";
import { dayNumber, dayText } from "./model";
import { acts } from "./state";

/** A slider over the days since the first memory: the graph as it was then. Its right end is now. */
export function Timeline({ earliest, at }: { earliest: string | null; at: string }) {
  const id = useId();
  const today = dayNumber(new Date().toISOString());
  const first = earliest ? Math.min(dayNumber(earliest), today) : today;
  const day = at ? Math.max(first, Math.min(today, dayNumber(at))) : today;
  const text = at ? longDay(at) : "now";
  return (
    <div class="graph-timeline">
      <label for={id}>As of</label>
      <input
        id={id}
        type="range"
        min={first}
        max={today}
        value={day}
        disabled={first === today}
        aria-valuetext={text}
        onInput={(event) => {
          const chosen = Number(event.currentTarget.value);
          acts.at(chosen >= today ? "" : dayText(chosen));
        }}
      />
      <output for={id} class="number">
        {text}
      </output>
      <Button size="small" variant="quiet" disabled={!at} onClick={() => acts.at("")}>
        Now
      </Button>
    </div>
  );
}

function longDay(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
}
