// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { handleKey, keyName, shortcuts } from "./keyboard";

function press(
  key: string,
  target: EventTarget = document.body,
  init: KeyboardEventInit = {},
): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init });
  const listen = (raised: Event) => handleKey(raised as KeyboardEvent);
  target.addEventListener("keydown", listen, { once: true });
  target.dispatchEvent(event);
  return event;
}

function register(keys: string, whileTyping = false) {
  const run = vi.fn();
  shortcuts.value = [...shortcuts.value, { keys, label: keys, group: "test", run, whileTyping }];
  return run;
}

afterEach(() => {
  shortcuts.value = [];
  document.body.replaceChildren();
});

describe("shortcuts", () => {
  it("runs a sequence of two keys, and its second key alone does not", () => {
    const go = register("g m");
    press("m");
    expect(go).not.toHaveBeenCalled();
    press("g");
    press("m");
    expect(go).toHaveBeenCalledOnce();
  });

  it("leaves a text field alone, except for keys that work while typing", () => {
    const search = register("/");
    const palette = register("mod+k", true);
    const input = document.body.appendChild(document.createElement("input"));
    expect(press("/", input).defaultPrevented).toBe(false);
    expect(search).not.toHaveBeenCalled();
    press("k", input, { ctrlKey: true });
    expect(palette).toHaveBeenCalledOnce();
  });

  it("lets the newest registration of a key win", () => {
    const older = register("j");
    const newer = register("j");
    press("j");
    expect(newer).toHaveBeenCalledOnce();
    expect(older).not.toHaveBeenCalled();
  });

  it("does nothing behind an open dialog", () => {
    const next = register("j");
    document.body.appendChild(document.createElement("dialog")).setAttribute("open", "");
    press("j");
    expect(next).not.toHaveBeenCalled();
  });

  it("names Ctrl and Cmd alike", () => {
    const plain = { key: "K", ctrlKey: false, metaKey: false, altKey: false };
    expect(keyName({ ...plain, ctrlKey: true })).toBe("mod+k");
    expect(keyName({ ...plain, metaKey: true })).toBe("mod+k");
    expect(keyName({ ...plain, key: "?" })).toBe("?");
  });
});
