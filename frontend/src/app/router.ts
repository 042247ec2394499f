import { computed, signal } from "@preact/signals";

/** Where the person is: `/memories/ID?q=words` has the segments ["memories", "ID"]. */
export interface Route {
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

const address = signal(readAddress());
window.addEventListener("popstate", () => {
  address.value = readAddress();
});

export const route = computed<Route>(() => parseRoute(address.value));

export function parseRoute(target: string): Route {
  const url = new URL(target, "http://page.invalid");
  const segments = url.pathname.split("/").filter(Boolean).map(decodeSegment);
  return { path: url.pathname, segments, query: url.searchParams };
}

/** Go to `target` (a path of this page); `replace` leaves no entry in the history. */
export function navigate(target: string, options: { replace?: boolean } = {}): void {
  if (target === address.value) return;
  if (options.replace) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  address.value = target;
}

/** Change parameters of the address in place; an empty or undefined value removes its parameter. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  options: { replace?: boolean } = { replace: true },
): void {
  const query = new URLSearchParams(route.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  navigate(text ? `${route.value.path}?${text}` : route.value.path, options);
}

/** A path of this page from its parts, each encoded. */
export function pathTo(...segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join("/")}`;
}

/** Whether a click on a link is ours: the browser handles new tabs, downloads and other pages. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

function readAddress(): string {
  return `${location.pathname}${location.search}`;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
