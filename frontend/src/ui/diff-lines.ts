export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

const MOST_CELLS = 4_000_000; // beyond 2,000 changed lines a side, all are shown as replaced

/** The lines that lead from `before` to `after`: a longest common subsequence, removals before additions. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = before.split("\n");
  const fresh = after.split("\n");
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end))
    end += 1;
  return [
    ...lines("same", old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...lines("same", old.slice(old.length - end)),
  ];
}

function middle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > MOST_CELLS) return [...lines("removed", old), ...lines("added", fresh)];
  const lengths = commonLengths(old, fresh);
  const at = (row: number, column: number) => lengths[row * (fresh.length + 1) + column] ?? 0;
  const result: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < fresh.length) {
    if (row < old.length && column < fresh.length && old[row] === fresh[column]) {
      result.push({ kind: "same", text: old[row] ?? "" });
      row += 1;
      column += 1;
    } else if (row < old.length && (column === fresh.length || at(row + 1, column) >= at(row, column + 1))) {
      result.push({ kind: "removed", text: old[row] ?? "" });
      row += 1;
    } else {
      result.push({ kind: "added", text: fresh[column] ?? "" });
      column += 1;
    }
  }
  return result;
}

function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array {
  const width = fresh.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        old[row] === fresh[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
    }
  }
  return lengths;
}

function lines(kind: DiffLine["kind"], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}
