import { type Signal, signal } from "@preact/signals";

export const TOPICS = ["memories", "session", "runs", "tools", "traces", "review"] as const;
export type Topic = (typeof TOPICS)[number];
export type Connection = "connecting" | "live" | "disconnected" | "signed-out";

const RETRY_MS = [500, 1000, 2000, 4000, 8000] as const;

/** How the page is connected; the shell shows everything but "live". */
export const connection = signal<Connection>("connecting");

/** A number per topic that grows when the server says that something of it changed. */
export const changes: Readonly<Record<Topic, Signal<number>>> = {
  memories: signal(0),
  session: signal(0),
  runs: signal(0),
  tools: signal(0),
  traces: signal(0),
  review: signal(0),
};

let source: EventSource | null = null;
let attempts = 0;
let retryTimer = 0;
let wasOpen = false;

/** Open the stream, and keep it open while the tab is visible: browsers allow six connections per host. */
export function startLive(): void {
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("online", () => retryNow());
  if (!document.hidden) open();
}

export function retryNow(): void {
  attempts = 0;
  close();
  open();
}

/** Connect again, because something was refused: a stream that is open outlives a session that has ended. */
export function checkSession(): void {
  if (connection.value === "live") retryNow();
}

function open(): void {
  if (source) return;
  const stream = new EventSource("/api/events");
  source = stream;
  stream.onopen = () => {
    attempts = 0;
    connection.value = "live";
    if (wasOpen) refreshAll(); // what changed during the gap is not known, so everything shown is read again
    wasOpen = true;
  };
  stream.onerror = () => void lost(stream);
  for (const topic of TOPICS) stream.addEventListener(topic, () => bump(topic));
}

/** Reconnect with growing pauses. A session that ended is said, because no retry can mend it. */
async function lost(stream: EventSource): Promise<void> {
  if (stream !== source) return;
  close();
  connection.value = (await isSignedOut()) ? "signed-out" : "disconnected";
  if (source || document.hidden) return;
  const pause = RETRY_MS[Math.min(attempts, RETRY_MS.length - 1)];
  attempts += 1;
  window.clearTimeout(retryTimer);
  retryTimer = window.setTimeout(open, pause);
}

async function isSignedOut(): Promise<boolean> {
  try {
    return (await fetch("/api/project")).status === 401;
  } catch {
    return false;
  }
}

function close(): void {
  window.clearTimeout(retryTimer);
  source?.close();
  source = null;
}

function bump(topic: Topic): void {
  changes[topic].value += 1;
}

function refreshAll(): void {
  for (const topic of TOPICS) bump(topic);
}
