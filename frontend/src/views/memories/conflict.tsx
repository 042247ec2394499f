import { useState } from "preact/hooks";
import { Button, Diff, Icon, Segmented } from "../../ui";
import { labelOf, type Merge, type Values, valueText } from "./edit-state";

const SIDES = [
  { value: "mine", label: "Keep mine" },
  { value: "theirs", label: "Take theirs" },
];

/** What changed on disk while a memory was edited, field by field, and which side is to stay. */
export function Conflict({
  merge,
  mine,
  theirs,
  onSettled,
}: {
  merge: Merge;
  mine: Values;
  theirs: Values;
  onSettled: (values: Values) => void;
}) {
  const [sides, setSides] = useState<Readonly<Record<string, string>>>({});
  const settle = () => {
    const chosen = merge.conflicts.filter((key) => sides[key] === "theirs");
    onSettled({ ...merge.values, ...Object.fromEntries(chosen.map((key) => [key, theirs[key] ?? ""])) });
  };
  return (
    <section class="memories-conflict" aria-label="Conflict" role="alert">
      <h3>
        <Icon name="warning" /> This memory changed on disk while you edited it
      </h3>
      <p>
        Nothing was overwritten and nothing you typed is lost.
        {merge.taken.length > 0 && ` Changed there only: ${merge.taken.map(labelOf).join(", ")}.`}
        {merge.conflicts.length > 0
          ? " Both of you changed the fields below: choose which text stays."
          : " You changed other fields, so both changes fit together."}
      </p>
      {merge.conflicts.map((key) => (
        <div key={key} class="memories-conflict-field">
          <div class="row wrap">
            <strong class="grow">{labelOf(key)}</strong>
            <Segmented
              label={`Which ${labelOf(key)} stays`}
              value={sides[key] ?? "mine"}
              onValue={(side) => setSides({ ...sides, [key]: side })}
              choices={SIDES}
            />
          </div>
          <p class="faint">From the text on disk (−) to yours (+)</p>
          <Diff
            before={valueText(theirs[key])}
            after={valueText(mine[key])}
            label={`${labelOf(key)}: on disk and yours`}
          />
        </div>
      ))}
      <div>
        <Button variant="primary" onClick={settle}>
          Continue with {merge.conflicts.length > 0 ? "these" : "both"}
        </Button>
      </div>
    </section>
  );
}
