import type { CategoryForm, FormField, RecordDocument } from "./types";

/** What a field of the form holds. */
export type Row = Readonly<Record<string, string>>;
export type Value = string | boolean | readonly string[] | readonly Row[];
export type Values = Readonly<Record<string, Value>>;

export interface EditField {
  /** Its path in the document, such as "title" or "content.examples.prefer". */
  readonly key: string;
  readonly label: string;
  readonly kind: "text" | "line" | "choice" | "flag" | "lines" | "rows" | "tags" | "number";
  readonly help: string;
  readonly required: boolean;
  readonly choices: readonly string[];
  readonly parts: readonly FormField[];
}

const HEAD: readonly EditField[] = [
  fixed("title", "Title", "line", "What it says, in one line", true),
  fixed("tags", "Tags", "tags", "Keywords to find it by", true),
];
const FOOT: readonly EditField[] = [
  fixed("related_files", "Related files", "lines", "Files or patterns it is about", false),
  fixed("valid_from", "Valid from", "line", "A date such as 2026-01-31", false),
  fixed("valid_to", "Valid until", "line", "A date such as 2026-01-31", false),
  fixed("confidence", "Confidence", "number", "From 0 to 1", false),
];

function fixed(
  key: string,
  label: string,
  kind: EditField["kind"],
  help: string,
  required: boolean,
): EditField {
  return { key, label, kind, help, required, choices: [], parts: [] };
}

/** The fields of the form of a category. */
export function editFields(form: CategoryForm): readonly EditField[] {
  return [...HEAD, ...form.fields.flatMap((field) => contentFields(field, "content")), ...FOOT];
}

function contentFields(field: FormField, path: string): readonly EditField[] {
  const key = `${path}.${field.name}`;
  if (field.kind === "group") return field.fields.flatMap((inner) => contentFields(inner, key));
  const label = labelOf(key);
  const kind = field.kind as EditField["kind"];
  return [
    {
      key,
      label,
      kind,
      help: field.help,
      required: field.required,
      choices: field.choices,
      parts: field.fields,
    },
  ];
}

/** "content.rejected_reason" is "Rejected reason". */
export function labelOf(key: string): string {
  const words = key
    .replace(/^content\./, "")
    .replaceAll(".", ": ")
    .replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The values of the form for a document; what a field cannot show is shown as JSON. */
export function readValues(document: RecordDocument, fields: readonly EditField[]): Values {
  return Object.fromEntries(fields.map((field) => [field.key, readValue(at(document, field.key), field)]));
}

function readValue(value: unknown, field: EditField): Value {
  if (field.kind === "flag") return value === true;
  if (field.kind === "lines" || field.kind === "tags") return Array.isArray(value) ? value.map(plain) : [];
  if (field.kind === "rows") return Array.isArray(value) ? value.map((row) => readRow(row, field)) : [];
  return value === undefined || value === null ? "" : plain(value);
}

function readRow(row: unknown, field: EditField): Row {
  const values = (typeof row === "object" && row !== null ? row : {}) as Record<string, unknown>;
  return Object.fromEntries(field.parts.map((part) => [part.name, plain(values[part.name] ?? "")]));
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function sameValue(left: Value | undefined, right: Value | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

export function changedKeys(before: Values, after: Values): readonly string[] {
  return Object.keys(after).filter((key) => !sameValue(before[key], after[key]));
}

/** The fields that an edit sends. A field that was not edited stays byte for byte, known or unknown. */
export function writeFields(
  document: RecordDocument,
  fields: readonly EditField[],
  after: Values,
): Record<string, unknown> {
  const before = readValues(document, fields);
  const sent: { [name: string]: unknown; content?: unknown } = {};
  const content = structuredClone(document.content ?? {}) as Record<string, unknown>;
  for (const field of fields) {
    const value = after[field.key];
    if (value === undefined || sameValue(before[field.key], value)) continue;
    if (field.key.startsWith("content.")) {
      setAt(content, field.key.split(".").slice(1), written(value, field, at(document, field.key)));
      sent.content = content;
    } else {
      sent[field.key] = written(value, field, document[field.key]) ?? null;
    }
  }
  return sent;
}

/** A value as the document has it; undefined removes an optional field that was emptied. */
function written(value: Value, field: EditField, before: unknown): unknown {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") {
    if (field.kind === "number" && value.trim() && Number.isFinite(Number(value))) return Number(value);
    return value === "" && !field.required ? undefined : value;
  }
  if (value.length === 0 && !field.required) return undefined;
  return field.kind === "rows"
    ? (value as readonly Row[]).map((row, index) => mergedRow(row, before, index))
    : value;
}

/** A row with the keys of the form, and those of the row that was there which the form does not know. */
function mergedRow(row: Row, before: unknown, index: number): unknown {
  const old = Array.isArray(before) ? before[index] : undefined;
  return typeof old === "object" && old !== null ? { ...old, ...row } : row;
}

function at(document: RecordDocument, key: string): unknown {
  return key.split(".").reduce<unknown>((value, name) => {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }, document);
}

function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    if (value === undefined) delete target[name];
    else target[name] = value;
    return;
  }
  const inner = target[name];
  const next = typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>) : {};
  setAt(next, rest, value);
  if (Object.keys(next).length > 0) target[name] = next;
  else delete target[name];
}

export interface Merge {
  /** Mine where only I changed a field, theirs where only they did, mine in a conflict. */
  readonly values: Values;
  readonly conflicts: readonly string[];
  /** Fields that only they changed. */
  readonly taken: readonly string[];
}

/** Join an edit with what is on disk now, field by field; nothing of either side is dropped. */
export function mergeValues(base: Values, mine: Values, theirs: Values): Merge {
  const values: Record<string, Value> = {};
  const conflicts: string[] = [];
  const taken: string[] = [];
  for (const key of Object.keys(mine)) {
    const [was, own, other] = [base[key], mine[key] as Value, theirs[key] ?? base[key]];
    const theyChanged = other !== undefined && !sameValue(was, other);
    const iChanged = !sameValue(was, own);
    values[key] = theyChanged && !iChanged ? (other as Value) : own;
    if (theyChanged && iChanged && !sameValue(own, other)) conflicts.push(key);
    else if (theyChanged && !iChanged) taken.push(key);
  }
  return { values, conflicts, taken };
}

/** A value as lines of text, for a diff. */
export function valueText(value: Value | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  return value.map((item) => (typeof item === "string" ? item : Object.values(item).join(": "))).join("\n");
}

/** The field that a problem of the server belongs to: `content.rationale[2]` is `content.rationale`. */
export function problemKey(field: string, keys: readonly string[]): string | undefined {
  const plainPath = field.replace(/\[\d+\]/g, "");
  return keys.find((key) => plainPath === key || plainPath.startsWith(`${key}.`));
}
