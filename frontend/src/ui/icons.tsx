import type { ComponentChildren, JSX } from "preact";

export type IconName =
  | "overview"
  | "memories"
  | "review"
  | "session"
  | "graph"
  | "tools"
  | "runs"
  | "traces"
  | "search"
  | "close"
  | "check"
  | "copy"
  | "more"
  | "sun"
  | "moon"
  | "help"
  | "undo"
  | "warning"
  | "chevron-right"
  | "chevron-down"
  | "arrow-left"
  | "plus"
  | "minus"
  | "edit"
  | "link"
  | "trash"
  | "restore"
  | "play"
  | "pause"
  | "stop"
  | "filter"
  | "offline"
  | "external"
  | "lock"
  | "clock"
  | "expand";

/** Strokes on a 20 by 20 grid, drawn for this page. */
const PATHS: Readonly<Record<IconName, ComponentChildren>> = {
  overview: <path d="M3 16.5h14M5 13.5V9M9 13.5V4M13 13.5V7.5M17 13.5v-3" />,
  memories: <path d="M4.5 3.5h8a3 3 0 0 1 3 3v10h-9a2 2 0 0 1-2-2zM4.5 14.500a2 2 0 0 1 2-2h9M8 7h4" />,
  review: <path d="M4 5h7M4 10h5M4 15h4M11 13.500l2.200 2.200L17.500 10.500" />,
  session: <path d="M2.500 10h3l2-5.500 4 11 2.200-5.500h3.800" />,
  graph: (
    <>
      <circle cx="5" cy="5.500" r="2" />
      <circle cx="15" cy="7.500" r="2" />
      <circle cx="8" cy="15" r="2" />
      <path d="M7 6l6 1M5.600 7.400l1.700 5.700M13.600 9l-4.200 4.500" />
    </>
  ),
  tools: (
    <path d="M12.800 3.300a4 4 0 0 0-4.600 5.200L3.300 13.400a1.800 1.800 0 0 0 0 2.500l.8.800a1.800 1.800 0 0 0 2.500 0l4.900-4.900a4 4 0 0 0 5.200-4.600l-2.500 2.300-2.600-.9-.9-2.600z" />
  ),
  runs: <path d="M3 5h5.500M8 10h6M6 15h4.500M3 5v0M14.500 3.500l3 1.500-3 1.500z" />,
  traces: <path d="M3 16V4M3 16h14M5.500 12.500C8 12.500 8 6.500 10.500 6.500S13 10 16.500 5" />,
  search: (
    <>
      <circle cx="9" cy="9" r="5" />
      <path d="M12.700 12.700L17 17" />
    </>
  ),
  close: <path d="M5 5l10 10M15 5L5 15" />,
  check: <path d="M4 10.500l4 4 8-9" />,
  copy: (
    <>
      <rect x="7" y="7" width="9.500" height="9.500" rx="1.500" />
      <path d="M13 7V5a1.500 1.500 0 0 0-1.500-1.500H5A1.500 1.500 0 0 0 3.500 5v6.500A1.500 1.500 0 0 0 5 13h2" />
    </>
  ),
  more: <path d="M5 10h.01M10 10h.01M15 10h.01" stroke-width="2.600" />,
  sun: (
    <>
      <circle cx="10" cy="10" r="3.200" />
      <path d="M10 2.500v1.800M10 15.700v1.800M2.500 10h1.800M15.700 10h1.800M4.700 4.700l1.300 1.300M14 14l1.300 1.300M4.700 15.300L6 14M14 6l1.300-1.300" />
    </>
  ),
  moon: <path d="M16.500 11.800A6.800 6.800 0 0 1 8.200 3.500a6.800 6.800 0 1 0 8.300 8.300z" />,
  help: (
    <>
      <circle cx="10" cy="10" r="7" />
      <path d="M7.900 8a2.100 2.100 0 1 1 3 1.900c-.6.300-.9.700-.9 1.300v.3M10 14h.01" />
    </>
  ),
  undo: <path d="M7 4.500L3.500 8 7 11.500M3.500 8H12a4.500 4.500 0 0 1 0 9H8" />,
  warning: <path d="M10 3.500l7.500 13h-15zM10 8.500v3.500M10 14.300h.01" />,
  "chevron-right": <path d="M7.500 5l5 5-5 5" />,
  "chevron-down": <path d="M5 7.500l5 5 5-5" />,
  "arrow-left": <path d="M16 10H4M9 5l-5 5 5 5" />,
  plus: <path d="M10 4v12M4 10h12" />,
  minus: <path d="M4 10h12" />,
  edit: <path d="M4 16l.8-3.300L13.500 4a1.800 1.800 0 0 1 2.500 2.500l-8.700 8.700z" />,
  link: (
    <path d="M8.500 11.500a3 3 0 0 0 4.300 0l2.800-2.800a3 3 0 1 0-4.300-4.300l-1 1M11.500 8.500a3 3 0 0 0-4.300 0l-2.800 2.800a3 3 0 1 0 4.300 4.300l1-1" />
  ),
  trash: (
    <path d="M4 5.500h12M8 5.500V4h4v1.500M5.500 5.500l.7 10.500h7.600l.7-10.500M8.500 8.500v5M11.500 8.500v5" />
  ),
  restore: <path d="M4 10a6 6 0 1 0 1.800-4.300M4 3.500v3h3" />,
  play: <path d="M6.500 4.500l9 5.500-9 5.500z" />,
  pause: <path d="M7 4.500v11M13 4.500v11" stroke-width="2.400" />,
  stop: <rect x="5" y="5" width="10" height="10" rx="1.500" />,
  filter: <path d="M3 5h14M6 10h8M8.500 15h3" />,
  offline: (
    <path d="M3 3l14 14M6 9.500a6 6 0 0 1 2-1.200M3.500 7a9.500 9.500 0 0 1 2.500-1.600M10 5a9.500 9.500 0 0 1 6.500 2.400M12.500 8.700a6 6 0 0 1 1.500 1M10 14.500h.01" />
  ),
  external: (
    <path d="M11.500 4H16v4.500M16 4l-7 7M13.500 11v4a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7.500a1 1 0 0 1 1-1h4" />
  ),
  lock: (
    <>
      <rect x="4.500" y="9" width="11" height="7.500" rx="1.500" />
      <path d="M7 9V6.500a3 3 0 0 1 6 0V9" />
    </>
  ),
  clock: (
    <>
      <circle cx="10" cy="10" r="7" />
      <path d="M10 6v4.200l2.800 1.600" />
    </>
  ),
  expand: <path d="M4 8V4h4M16 8V4h-4M4 12v4h4M16 12v4h-4" />,
};

/** An icon is decoration: what it stands for is always written next to it or in the label of its control. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {PATHS[name]}
    </svg>
  );
}
