import { type DiffLine, diffLines } from "./diff-lines";
import "./diff.css";

const CONTEXT = 3; // unchanged lines around a change, as git shows them
const MARKS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", removed: "−", added: "+" };
const NAMES: Readonly<Record<DiffLine["kind"], string>> = {
  same: "",
  removed: "removed: ",
  added: "added: ",
};

/** What changed between two texts, line by line; long equal stretches are left out. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = diffLines(before, after);
  if (lines.every((line) => line.kind === "same")) return <p class="muted">Nothing changed.</p>;
  const visible = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => line.kind !== "same"),
  );
  return (
    <div class="diff" role="region" aria-label={label} tabIndex={0}>
      {lines.map((line, index) => {
        const key = `${index}${line.kind}`;
        if (!visible[index])
          return visible[index - 1] === false ? null : (
            <div key={key} class="diff-gap" aria-hidden="true">
              ⋯
            </div>
          );
        return (
          <div key={key} class={`diff-line ${line.kind}`}>
            <span class="diff-mark" aria-hidden="true">
              {MARKS[line.kind]}
            </span>
            <span>
              <span class="visually-hidden">{NAMES[line.kind]}</span>
              {line.text || " "}
            </span>
          </div>
        );
      })}
    </div>
  );
}
