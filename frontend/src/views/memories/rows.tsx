import { Badge, CategoryBadge, StackedBar, Time } from "../../ui";
import { type Explanation, scoreParts } from "./explanation";
import type { HitRow, MemoryRow } from "./types";

/** A memory in the list of all. */
export function ListRow({ row }: { row: MemoryRow | null }) {
  if (!row) return <div class="memories-row placeholder" aria-hidden="true" />;
  return (
    <div class="memories-row">
      <RowHead title={row.title} at={row.updated_at} faded={!row.in_force} />
      <RowBadges row={row} />
    </div>
  );
}

/** A hit of a search, with its score drawn. */
export function SearchRow({ hit }: { hit: HitRow }) {
  const explanation = hit.explanation as Explanation | undefined;
  return (
    <div class="memories-row">
      <RowHead title={hit.title} at={hit.updated_at} faded={!hit.in_force} />
      {hit.snippet && <p class="memories-snippet muted">{hit.snippet}</p>}
      <RowBadges row={hit} />
      {explanation && (
        <div class="memories-score">
          <StackedBar parts={scoreParts(explanation)} label="Score" max={1} legend={false} />
          <span class="number faint">{hit.score.toFixed(2)}</span>
        </div>
      )}
    </div>
  );
}

function RowHead({ title, at, faded }: { title: string; at: string | null; faded: boolean }) {
  return (
    <div class="memories-row-head">
      <span class={faded ? "memories-row-title muted" : "memories-row-title"}>{title}</span>
      {at && (
        <span class="faint number memories-row-time">
          <Time at={at} />
        </span>
      )}
    </div>
  );
}

function RowBadges({ row }: { row: MemoryRow | HitRow }) {
  return (
    <div class="memories-row-badges">
      <CategoryBadge category={row.category} />
      {row.not_in_force && <Badge tone="warn">{row.not_in_force}</Badge>}
      {"drifted" in row && row.drifted && <Badge tone="warn">code changed</Badge>}
      <span class="faint truncate">{row.tags.join(" · ")}</span>
    </div>
  );
}
