import { describe, expect, it } from "vitest";
import { pathText, realScale, rowText, type Timeline, ticks, workingScale } from "./timeline";

const timeline: Timeline = {
  run: "run-1",
  status: "succeeded",
  started_at: "2026-11-16T10:00:00.000Z",
  milliseconds: 3_600_200,
  pauses: [],
  path: ["a", "b"],
  path_milliseconds: { running: 200, approval: 3_600_000, queued: 0 },
  tasks: [
    { id: "a", tool: "s:a", status: "succeeded", spans: [{ kind: "running", start: 0, end: 100 }] },
    {
      id: "b",
      tool: "s:b",
      status: "succeeded",
      spans: [
        { kind: "approval", start: 100, end: 3_600_100 },
        { kind: "running", start: 3_600_100, end: 3_600_200 },
      ],
    },
  ],
};

describe("scales", () => {
  it("are the share of the whole time, or of the time with calls", () => {
    expect(realScale(timeline)(1_800_100)).toBeCloseTo(0.5);
    const place = workingScale(timeline);
    expect(place(0)).toBe(0);
    expect(place(100)).toBeCloseTo(100 / 210);
    expect(place(3_600_100)).toBeCloseTo(110 / 210);
    expect(place(9e9)).toBe(1);
  });
  it("never go back, also for a run in which nothing was called", () => {
    const place = workingScale({ ...timeline, tasks: [] });
    const places = [0, 1, 50, 1e6, 3_600_200].map(place);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });
});

describe("texts", () => {
  it("say what the bars show", () => {
    expect(rowText(timeline.tasks[1] as Timeline["tasks"][number], true)).toBe(
      "b: succeeded, on the critical path. waiting for a person 1 h 0 min, running 100 ms",
    );
    expect(pathText(timeline)).toBe("running 200 ms, waiting for a person 1 h 0 min");
  });
  it("has round moments of one unit on the axis", () => {
    const texts = (total: number) => ticks(total).map((tick) => tick.text);
    expect(texts(1000)).toEqual(["200 ms", "400 ms", "600 ms", "800 ms", "1000 ms"]);
    expect(texts(85_000)).toEqual(["15 s", "30 s", "45 s", "60 s", "75 s"]);
    expect(texts(3 * 3_600_000)).toEqual(["30 min", "60 min", "90 min", "120 min", "150 min", "180 min"]);
    expect(texts(0)).toEqual([]);
    expect(texts(0.4)).toEqual([]);
    for (const total of [1, 7, 333, 45_000, 9e7, 9e10]) {
      expect(ticks(total).length).toBeLessThanOrEqual(6);
      for (const { moment } of ticks(total)) expect(moment).toBeLessThanOrEqual(total);
    }
  });
});
