import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { IconButton, Kbd, Link } from "../ui/controls";
import { ConfirmDialog, Dialog } from "../ui/dialog";
import { Icon } from "../ui/icons";
import { Toasts } from "../ui/toast";
import { VIEWS, type View, viewOf, viewPath } from "../views";
import { useCommands } from "./commands";
import { ConnectionNotice, ConnectionState } from "./connection";
import { Help, helpOpen } from "./help";
import { handleKey, useShortcuts } from "./keyboard";
import { openPalette, Palette } from "./palette";
import { project, projectName } from "./project";
import { navigate, route } from "./router";
import { chooseTheme, theme, toggleTheme } from "./theme";
import { ViewFrame } from "./view-frame";
import "./shell.css";

const PRIMARY = 4; // views in the bottom bar of a phone; the rest is behind More
const moreOpen = signal(false);

export function Shell() {
  const view = viewOf(route.value.segments);
  useEffect(() => {
    window.addEventListener("keydown", handleKey);
    return () => window.removeEventListener("keydown", handleKey);
  }, []);
  useEffect(() => {
    document.title = view ? `${view.title} · Recollect` : "Not found · Recollect";
  }, [view]);
  useShortcuts(GLOBAL_KEYS);
  useCommands(GLOBAL_COMMANDS);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <Rail current={view} />
        <TopBar />
        <main id="main" tabIndex={-1}>
          <ConnectionNotice />
          <ViewFrame view={view} route={route.value} />
        </main>
        <BottomBar current={view} />
      </div>
      <Palette />
      <Help />
      <ConfirmDialog />
      <MoreDialog current={view} />
      <Toasts />
    </>
  );
}

const GLOBAL_KEYS = [
  { keys: "mod+k", label: "Commands and search", group: "Everywhere", run: openPalette, whileTyping: true },
  { keys: "/", label: "Search in this view", group: "Everywhere", run: focusSearch },
  { keys: "?", label: "This help", group: "Everywhere", run: showHelp },
  { keys: "Escape", label: "Close, or go back", group: "Everywhere", run: goUp },
  ...VIEWS.map((view) => ({
    keys: `g ${view.key}`,
    label: view.title,
    group: "Go to",
    run: () => navigate(viewPath(view)),
  })),
];

const GLOBAL_COMMANDS = [
  ...VIEWS.map((view) => ({
    id: `go-${view.name}`,
    label: `Go to ${view.title}`,
    icon: view.icon,
    group: "Go to",
    keys: `g ${view.key}`,
    run: () => navigate(viewPath(view)),
  })),
  {
    id: "theme-light",
    label: "Use the light theme",
    icon: "sun" as const,
    group: "Theme",
    run: () => chooseTheme("light"),
  },
  {
    id: "theme-dark",
    label: "Use the dark theme",
    icon: "moon" as const,
    group: "Theme",
    run: () => chooseTheme("dark"),
  },
  {
    id: "theme-system",
    label: "Use the theme of the system",
    icon: "sun" as const,
    group: "Theme",
    run: () => chooseTheme("system"),
  },
  { id: "help", label: "Show all keys", icon: "help" as const, group: "Help", keys: "?", run: showHelp },
];

function Rail({ current }: { current: View | undefined }) {
  return (
    <nav class="rail" aria-label="Views">
      <Brand />
      <p class="rail-project truncate" title={project.value?.folder}>
        {project.value ? projectName(project.value) : "\u00a0"}
      </p>
      <button type="button" class="rail-search" onClick={openPalette}>
        <Icon name="search" size={16} />
        <span class="grow">Search</span>
        <Kbd keys="mod+k" />
      </button>
      <ul class="rail-links">
        {VIEWS.map((view) => (
          <li key={view.name}>
            <ViewLink view={view} current={view === current} />
          </li>
        ))}
      </ul>
      <div class="rail-foot">
        <ConnectionState />
        <div class="row">
          <ThemeButton />
          <IconButton icon="help" label="Keyboard help" onClick={showHelp} />
        </div>
      </div>
    </nav>
  );
}

function TopBar() {
  return (
    <div class="top-bar">
      <Brand />
      <span class="grow" />
      <ConnectionState />
      <IconButton icon="search" label="Search and commands" onClick={openPalette} />
      <ThemeButton />
    </div>
  );
}

function BottomBar({ current }: { current: View | undefined }) {
  return (
    <nav class="bottom-bar" aria-label="Views, short">
      {VIEWS.slice(0, PRIMARY).map((view) => (
        <ViewLink key={view.name} view={view} current={view === current} />
      ))}
      <button
        type="button"
        class="view-link"
        aria-haspopup="dialog"
        onClick={() => {
          moreOpen.value = true;
        }}
      >
        <Icon name="more" size={20} />
        <span>More</span>
      </button>
    </nav>
  );
}

function MoreDialog({ current }: { current: View | undefined }) {
  const close = () => {
    moreOpen.value = false;
  };
  return (
    <Dialog title="More" open={moreOpen.value} onClose={close}>
      <ul class="more" onClick={close}>
        {VIEWS.slice(PRIMARY).map((view) => (
          <li key={view.name}>
            <ViewLink view={view} current={view === current} />
          </li>
        ))}
        <li>
          <button type="button" class="view-link" onClick={showHelp}>
            <Icon name="help" size={20} />
            <span>Keyboard help</span>
          </button>
        </li>
      </ul>
    </Dialog>
  );
}

function ViewLink({ view, current }: { view: View; current: boolean }) {
  return (
    <Link to={viewPath(view)} class="view-link" current={current}>
      <Icon name={view.icon} size={20} />
      <span>{view.title}</span>
    </Link>
  );
}

function Brand() {
  return (
    <Link to="/" class="brand" label="Recollect">
      <svg width="26" height="26" viewBox="0 0 32 32" fill="none" aria-hidden="true">
        <rect class="brand-tile" width="32" height="32" rx="8" />
        <path class="brand-stroke" d="M9 23V13a7 7 0 0 1 14 0" stroke-width="3" stroke-linecap="round" />
        <path
          class="brand-stroke inner"
          d="M15 23v-9a2 2 0 0 1 2-2"
          stroke-width="3"
          stroke-linecap="round"
        />
        <circle cx="22" cy="22" r="2.6" fill="#ffd479" />
      </svg>
      <span>Recollect</span>
    </Link>
  );
}

function ThemeButton() {
  const dark = theme.value === "dark";
  return (
    <IconButton
      icon={dark ? "sun" : "moon"}
      label={dark ? "Use the light theme" : "Use the dark theme"}
      onClick={toggleTheme}
    />
  );
}

function showHelp(): void {
  helpOpen.value = true;
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("main [data-search]");
  if (field) field.select();
  else openPalette();
}

/** From a detail to its list; a view that has something of its own to close registers Escape itself. */
function goUp(): void {
  const { segments } = route.value;
  if (segments.length > 1) navigate(`/${segments[0]}`);
}
