import { signal } from "@preact/signals";
import { Kbd } from "../ui/controls";
import { Dialog } from "../ui/dialog";
import { shortcuts } from "./keyboard";
import "./help.css";

export const helpOpen = signal(false);

/** Every key that works now, by group. */
export function Help() {
  const list = newestOfEachKey();
  const groups = [...new Set(list.map((shortcut) => shortcut.group))];
  return (
    <Dialog
      title="Keyboard"
      open={helpOpen.value}
      onClose={() => {
        helpOpen.value = false;
      }}
    >
      <div class="help">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {list
                .filter((shortcut) => shortcut.group === group)
                .map((shortcut) => (
                  <div key={shortcut.keys}>
                    <dt>
                      <Kbd keys={shortcut.keys} />
                      <span class="visually-hidden">{shortcut.keys}</span>
                    </dt>
                    <dd>{shortcut.label}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function newestOfEachKey() {
  const newest = new Map(shortcuts.value.map((shortcut) => [shortcut.keys, shortcut]));
  return [...newest.values()];
}
