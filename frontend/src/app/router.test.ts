// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { navigate, parseRoute, pathTo, route, setQuery } from "./router";

describe("routes", () => {
  it("decodes each segment and keeps the query", () => {
    const parsed = parseRoute("/memories/a%2Fb?q=two%20words");
    expect(parsed.segments).toEqual(["memories", "a/b"]);
    expect(parsed.query.get("q")).toBe("two words");
  });

  it("keeps a segment that is not valid percent encoding", () => {
    expect(parseRoute("/memories/100%").segments).toEqual(["memories", "100%"]);
  });

  it("encodes what a path is built from, so it parses back", () => {
    const odd = "../a b?#%";
    expect(parseRoute(pathTo("runs", odd)).segments).toEqual(["runs", odd]);
  });

  it("changes one parameter and leaves the others", () => {
    navigate("/memories?q=cache&type=decision");
    setQuery({ q: "queue" });
    expect(route.value.query.toString()).toBe("q=queue&type=decision");
    setQuery({ q: "", type: undefined });
    expect(route.value.path).toBe("/memories");
    expect(location.search).toBe("");
  });
});
