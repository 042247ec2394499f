import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useReducer, useRef, useState } from "preact/hooks";
import { useShortcuts } from "../app/keyboard";
import "./lists.css";

export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly render: (row: T) => ComponentChildren;
  readonly align?: "start" | "end";
  /** Hidden at phone width: what the person can do without. */
  readonly minor?: boolean;
  readonly width?: string;
}

/** A table of up to a few hundred rows; longer lists are a `VirtualList`. With `onOpen` rows open by click and Enter. */
export function Table<T>({
  label,
  columns,
  rows,
  rowKey,
  onOpen,
  selected,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string;
  onOpen?: (row: T) => void;
  selected?: string | undefined;
}) {
  return (
    <div class="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table class="table">
        <caption class="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                class={cellClass(column)}
                style={column.width ? { width: column.width } : {}}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow
              key={rowKey(row)}
              row={row}
              columns={columns}
              open={onOpen}
              selected={rowKey(row) === selected}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TableRow<T>({
  row,
  columns,
  open,
  selected,
}: {
  row: T;
  columns: readonly Column<T>[];
  open: ((row: T) => void) | undefined;
  selected: boolean;
}) {
  const act: JSX.HTMLAttributes<HTMLTableRowElement> = open
    ? {
        tabIndex: 0,
        onClick: () => open(row),
        onKeyDown: (event) => event.key === "Enter" && event.target === event.currentTarget && open(row),
      }
    : {};
  return (
    <tr {...act} class={open ? "opens" : ""} aria-current={selected || undefined}>
      {columns.map((column) => (
        <td key={column.key} class={cellClass(column)}>
          {column.render(row)}
        </td>
      ))}
    </tr>
  );
}

function cellClass<T>(column: Column<T>): string {
  return `${column.align === "end" ? "end" : ""} ${column.minor ? "minor" : ""}`;
}

export interface VirtualListProps<T> {
  label: string;
  items: readonly T[];
  itemKey: (item: T) => string;
  /** The height of a row in pixels, before it is measured. */
  rowHeight: number;
  /** Text and badges only: a row is an option of a listbox and holds no control of its own. */
  render: (item: T, state: { selected: boolean; index: number }) => ComponentChildren;
  selected?: string | undefined;
  onSelect?: (item: T) => void;
  /** Enter, or a click. */
  onOpen?: (item: T) => void;
  /** j and k move through this list from anywhere on the page (one list per view). */
  keyboard?: boolean;
  /** Called when the last rows come into sight, to read more. */
  onEnd?: () => void;
  /** Called with the first and last row in sight whenever they change, to read just those. */
  onVisible?: (first: number, last: number) => void;
}

/** A list of any length: only what is visible is in the page. Fills its parent, which must have a height. */
export function VirtualList<T>({
  label,
  items,
  itemKey,
  rowHeight,
  render,
  selected,
  onSelect,
  onOpen,
  keyboard,
  onEnd,
  onVisible,
}: VirtualListProps<T>) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer(scroller, items.length, rowHeight, (index) => keyAt(items, itemKey, index));
  const [own, setOwn] = useState<string | undefined>(undefined);
  const current = selected ?? own;
  const index = items.findIndex((item) => itemKey(item) === current);

  const move = (target: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, target))];
    if (!item) return;
    virtual.scrollToIndex(items.indexOf(item));
    setOwn(itemKey(item));
    onSelect?.(item);
  };
  const open = (target: number) => {
    const item = items[target];
    if (!item) return;
    setOwn(itemKey(item));
    (onOpen ?? onSelect)?.(item);
  };
  useShortcuts(
    keyboard
      ? listShortcuts(
          label,
          () => move(index + 1),
          () => move(index - 1),
          () => index >= 0 && open(index),
        )
      : [],
  );

  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && items.length > 0 && last >= items.length - 5) onEnd();
  }, [onEnd, items.length, last]);
  const first = rows[0]?.index ?? -1;
  useEffect(() => {
    if (onVisible && last >= 0) onVisible(first, last);
  }, [onVisible, first, last]);

  return (
    <div
      ref={scroller}
      class="virtual"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={index >= 0 ? `${id}-${index}` : undefined}
      onKeyDown={(event) =>
        listKey(event, { index, count: items.length, page: Math.max(1, rows.length - 2), move, open })
      }
    >
      <div class="virtual-space" role="presentation" style={{ height: `${virtual.getTotalSize()}px` }}>
        {rows.map((row) => {
          const item = items[row.index];
          if (item === undefined) return null;
          return (
            <div
              key={row.key}
              id={`${id}-${row.index}`}
              ref={(element) => virtual.measureElement(element)}
              data-index={row.index}
              class="virtual-row"
              role="option"
              aria-selected={row.index === index}
              aria-setsize={items.length}
              aria-posinset={row.index + 1}
              style={{ transform: `translateY(${row.start}px)` }}
              onClick={() => open(row.index)}
            >
              {render(item, { selected: row.index === index, index: row.index })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function useVirtualizer(
  scroller: { current: HTMLDivElement | null },
  count: number,
  rowHeight: number,
  key: (index: number) => string,
) {
  const [, redraw] = useReducer((rounds: number) => rounds + 1, 0);
  const options = {
    count,
    overscan: 8,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    getItemKey: key,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(0),
  };
  const [virtual] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  virtual.setOptions(options);
  useEffect(() => virtual._didMount(), [virtual]);
  useEffect(() => virtual._willUpdate());
  return virtual;
}

function keyAt<T>(items: readonly T[], itemKey: (item: T) => string, index: number): string {
  const item = items[index];
  return item === undefined ? String(index) : itemKey(item);
}

function listShortcuts(label: string, next: () => void, previous: () => void, open: () => void) {
  return [
    { keys: "j", label: "Next", group: label, run: next },
    { keys: "k", label: "Previous", group: label, run: previous },
    { keys: "Enter", label: "Open", group: label, run: open },
  ];
}

interface ListState {
  index: number;
  count: number;
  page: number;
  move: (target: number) => void;
  open: (target: number) => void;
}

function listKey(event: KeyboardEvent, { index, count, page, move, open }: ListState): void {
  const targets: Record<string, number> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    Home: 0,
    End: count - 1,
    PageDown: index + page,
    PageUp: index - page,
  };
  const target = targets[event.key];
  if (target !== undefined) move(target);
  else if (event.key === "Enter" && index >= 0) open(index);
  else return;
  event.preventDefault();
}
