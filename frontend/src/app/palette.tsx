import { signal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Kbd } from "../ui/controls";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icons";
import { type Command, commands, matchCommands } from "./commands";
import { navigate } from "./router";
import "./palette.css";

export const paletteOpen = signal(false);

export function Palette() {
  return (
    <Dialog title="Commands" bare open={paletteOpen.value} onClose={closePalette}>
      <PaletteBody />
    </Dialog>
  );
}

function PaletteBody() {
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const matches = withSearch(matchCommands(commands.value, text), text);
  const active = Math.min(index, matches.length - 1);

  const run = (command: Command | undefined) => {
    if (!command) return;
    closePalette();
    command.run();
  };
  const keyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) setIndex((active + step + matches.length) % matches.length);
    else if (event.key === "Enter") run(matches[active]);
    else return;
    event.preventDefault();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active option scrolls into view when it changes
  useEffect(
    () => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    [active],
  );

  return (
    <div class="palette">
      <div class="palette-input">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-label="Search commands and memories"
          aria-activedescendant={matches[active] ? `${id}-${active}` : undefined}
          placeholder="Go somewhere, do something, or search memories"
          value={text}
          spellcheck={false}
          autocomplete="off"
          onKeyDown={keyDown}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setIndex(0);
          }}
        />
        <Kbd keys="Escape" />
      </div>
      <div ref={list} id={id} class="palette-list" role="listbox" aria-label="Commands">
        {matches.map((command, position) => (
          <div
            key={command.id}
            id={`${id}-${position}`}
            role="option"
            aria-selected={position === active}
            class="palette-item"
            onClick={() => run(command)}
            onMouseMove={() => position !== active && setIndex(position)}
          >
            <Icon name={command.icon} />
            <span class="grow truncate">{command.label}</span>
            {command.keys ? <Kbd keys={command.keys} /> : <span class="faint">{command.group}</span>}
          </div>
        ))}
        {matches.length === 0 && <p class="palette-none muted">No command matches.</p>}
      </div>
    </div>
  );
}

/** Whatever is typed can also be searched for in the memories. */
function withSearch(matches: readonly Command[], text: string): readonly Command[] {
  const words = text.trim();
  if (!words) return matches;
  const query = new URLSearchParams({ q: words });
  return [
    ...matches,
    {
      id: "search",
      label: `Search memories for “${words}”`,
      icon: "memories",
      group: "Search",
      run: () => navigate(`/memories?${query}`),
    },
  ];
}

export function openPalette(): void {
  paletteOpen.value = true;
}

function closePalette(): void {
  paletteOpen.value = false;
}
