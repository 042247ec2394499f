import { describe, expect, test } from "vitest";
import { changedKeys, editFields, mergeValues, problemKey, readValues, writeFields } from "./edit-state";
import type { CategoryForm, FormField } from "./types";

function field(name: string, kind: string, extra: Partial<FormField> = {}): FormField {
  return { name, kind, help: name, required: false, choices: [], fields: [], ...extra };
}

const FORM: CategoryForm = {
  category: "decision",
  purpose: "a choice",
  fields: [
    field("decision", "text", { required: true }),
    field("rationale", "lines", { required: true }),
    field("alternatives", "rows", { fields: [field("option", "text"), field("rejected_reason", "text")] }),
    field("examples", "group", { fields: [field("prefer", "lines")] }),
    field("active", "flag"),
  ],
};
const FIELDS = editFields(FORM);
const DOCUMENT = {
  title: "Sign a token",
  tags: ["auth"],
  confidence: 0.5,
  other: { kept: true },
  content: {
    decision: "Sign.",
    rationale: ["one\ntwo", "three"],
    alternatives: [{ option: "A", rejected_reason: "slow", note: 7 }],
    unknown: [1, { deep: null }],
  },
};

describe("an edit", () => {
  test("that changes nothing sends nothing", () => {
    expect(writeFields(DOCUMENT, FIELDS, readValues(DOCUMENT, FIELDS))).toEqual({});
  });

  test("keeps what the form does not know", () => {
    const values = {
      ...readValues(DOCUMENT, FIELDS),
      "content.decision": "Sign twice.",
      "content.alternatives": [{ option: "A", rejected_reason: "dear" }],
      "content.examples.prefer": ["like so"],
      confidence: "0.75",
      tags: [],
    };
    expect(writeFields(DOCUMENT, FIELDS, values)).toEqual({
      tags: [],
      confidence: 0.75,
      content: {
        decision: "Sign twice.",
        rationale: ["one\ntwo", "three"],
        alternatives: [{ option: "A", rejected_reason: "dear", note: 7 }],
        unknown: [1, { deep: null }],
        examples: { prefer: ["like so"] },
      },
    });
  });

  test("removes an optional field that was emptied, and sends a required one empty", () => {
    const values = {
      ...readValues(DOCUMENT, FIELDS),
      "content.alternatives": [],
      "content.decision": "",
      confidence: "",
    };
    const sent = writeFields(DOCUMENT, FIELDS, values);
    expect(sent["confidence"]).toBeNull();
    expect(sent["content"]).not.toHaveProperty("alternatives");
    expect(sent["content"]).toHaveProperty("decision", "");
  });
});

describe("a merge", () => {
  const base = { title: "a", tags: ["x"], decision: "d", active: false };
  const mine = { ...base, title: "mine", tags: ["x", "y"] };
  const theirs = { ...base, title: "theirs", decision: "new" };

  test("keeps mine, takes theirs, and names what both changed", () => {
    const merged = mergeValues(base, mine, theirs);
    expect(merged).toEqual({
      values: { title: "mine", tags: ["x", "y"], decision: "new", active: false },
      conflicts: ["title"],
      taken: ["decision"],
    });
    expect(changedKeys(base, mine)).toEqual(["title", "tags"]);
  });

  test("is no conflict where both say the same", () => {
    expect(mergeValues(base, mine, mine).conflicts).toEqual([]);
  });
});

test("a problem belongs to the field around it", () => {
  const keys = FIELDS.map((one) => one.key);
  expect(problemKey("content.rationale[1]", keys)).toBe("content.rationale");
  expect(problemKey("content.alternatives[0].option", keys)).toBe("content.alternatives");
  expect(problemKey("content.decisions", keys)).toBeUndefined();
});
