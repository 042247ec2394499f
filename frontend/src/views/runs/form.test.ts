import { describe, expect, it } from "vitest";
import { type FormField, parsedForm } from "./form";

const fields: readonly FormField[] = [
  { name: "arguments", label: "Arguments", kind: "json" },
  { name: "uses", label: "Uses", kind: "number" },
  { name: "text", label: "Text", kind: "text", optional: true },
];

describe("parsedForm", () => {
  it("gives the values, without what is empty and optional", () => {
    expect(parsedForm(fields, { arguments: '{"a": 1}', uses: "3", text: " " })).toEqual({
      values: { arguments: { a: 1 }, uses: 3 },
    });
  });
  it("says what is wrong with each field", () => {
    const form = parsedForm(fields, { arguments: "{", uses: "0.5" });
    expect("errors" in form && Object.keys(form.errors)).toEqual(["arguments", "uses"]);
    expect(parsedForm(fields, {})).toEqual({
      errors: { arguments: "A value is required.", uses: "A value is required." },
    });
  });
});
