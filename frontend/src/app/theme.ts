import { computed, effect, signal } from "@preact/signals";

export type ThemeChoice = "system" | "light" | "dark";

const KEY = "recollect.theme";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(dark.matches);
dark.addEventListener("change", (event) => {
  systemIsDark.value = event.matches;
});

export const themeChoice = signal<ThemeChoice>(readChoice());

/** The theme that is shown: the person's choice, or the system's. */
export const theme = computed<"light" | "dark">(() => {
  if (themeChoice.value !== "system") return themeChoice.value;
  return systemIsDark.value ? "dark" : "light";
});

effect(() => {
  document.documentElement.setAttribute("data-theme", theme.value);
});

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // A browser that stores nothing still shows the theme until the page is closed.
  }
}

export function toggleTheme(): void {
  chooseTheme(theme.value === "dark" ? "light" : "dark");
}

function readChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}
