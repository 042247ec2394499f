// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { toast, toasts, undo } from "./toast";

afterEach(() => {
  toasts.value = [];
});

describe("toasts", () => {
  it("keeps the newest three", () => {
    for (const text of ["a", "b", "c", "d"]) toast({ text });
    expect(toasts.value.map((shown) => shown.text)).toEqual(["b", "c", "d"]);
  });

  it("says that an act was undone", async () => {
    const restore = vi.fn(async () => undefined);
    toast({ text: "Retired.", undo: restore });
    const [shown] = toasts.value;
    if (shown) await undo(shown);
    expect(restore).toHaveBeenCalledOnce();
    expect(toasts.value.map((other) => other.text)).toEqual(["Undone."]);
  });

  it("shows why undo failed", async () => {
    toast({ text: "Retired.", undo: () => Promise.reject(new Error("it changed on disk")) });
    const [shown] = toasts.value;
    if (shown) await undo(shown);
    expect(toasts.value).toMatchObject([{ text: "it changed on disk", tone: "bad" }]);
  });
});
