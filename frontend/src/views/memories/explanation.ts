import type { BarPart, Tone } from "../../ui";

interface Channel {
  readonly channel: string;
  readonly share: number;
}

/** The explanation of a score, as `recollect search --explain --json` has it. */
export interface Explanation {
  readonly score: number;
  readonly fused: number;
  readonly channels: readonly Channel[];
  readonly convergence: number;
  readonly scale: number;
  readonly boost: { readonly total: number };
  readonly authority: number;
  readonly faded: number;
  /** What a reranker did to it, where a server has one. */
  readonly reranked?: { readonly raw: number; readonly scaled: number };
}

const CHANNELS: Readonly<Record<string, { label: string; tone: Tone }>> = {
  lexical: { label: "Words", tone: "accent" },
  vector: { label: "Meaning", tone: "constraint" },
  files: { label: "Files", tone: "preference" },
  touched: { label: "Files at work", tone: "decision" },
  graph: { label: "Links", tone: "runbook" },
};

const ORDER = Object.keys(CHANNELS);
const place = (part: Channel) => (ORDER.indexOf(part.channel) + ORDER.length + 1) % (ORDER.length + 1);
const inOrder = (left: Channel, right: Channel) => place(left) - place(right);

/** What a score is made of, so that the parts sum up to it: channels, agreement, age, boosts, authority, reranker. */
export function scoreParts(explanation: Explanation): readonly BarPart[] {
  const { channels, scale, convergence, faded, boost, authority } = explanation;
  const parts: BarPart[] = [...channels].sort(inOrder).map((part) => ({
    label: CHANNELS[part.channel]?.label ?? part.channel,
    value: part.share / scale,
    tone: CHANNELS[part.channel]?.tone ?? "neutral",
  }));
  const matched = channels.reduce((sum, part) => sum + part.share, 0) / scale;
  parts.push({ label: "Agreement", value: matched * convergence, tone: "neutral" });
  const agreed = matched * (1 + convergence);
  parts.push({ label: "Age", value: -agreed * faded, tone: "bad" });
  const fresh = agreed * (1 - faded);
  const total = boost.total;
  parts.push({ label: "Session", value: fresh * total, tone: "good" });
  parts.push({ label: "Authority", value: fresh * (1 + total) * authority, tone: "debt" });
  if (explanation.reranked) {
    const before = fresh * (1 + total) * (1 + authority);
    const value = explanation.score - before;
    parts.push({ label: "Reranker", value, tone: value < 0 ? "bad" : "good" });
  }
  return parts;
}
