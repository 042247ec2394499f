/** One value that a command needs. JSON is checked here; what it means is checked by the server. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "json" | "number";
  readonly initial?: string;
  readonly hint?: string;
  readonly lines?: number;
  /** Left out of the command when it is empty. */
  readonly optional?: boolean;
}

export type FormValues = Readonly<Record<string, unknown>>;

/** The values of a form, or what is wrong with each field. */
export function parsedForm(
  fields: readonly FormField[],
  texts: Readonly<Record<string, string>>,
): { values: FormValues } | { errors: Readonly<Record<string, string>> } {
  const values: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const text = (texts[field.name] ?? "").trim();
    if (!text && field.optional) continue;
    const problem = text ? read(field, text, values) : "A value is required.";
    if (problem) errors[field.name] = problem;
  }
  return Object.keys(errors).length ? { errors } : { values };
}

function read(field: FormField, text: string, values: Record<string, unknown>): string {
  if (field.kind === "number") {
    const number = Number(text);
    if (!Number.isInteger(number) || number < 1) return "Enter a whole number above 0.";
    values[field.name] = number;
    return "";
  }
  if (field.kind === "text") {
    values[field.name] = text;
    return "";
  }
  try {
    values[field.name] = JSON.parse(text);
    return "";
  } catch (failure) {
    return `This is not valid JSON: ${failure instanceof Error ? failure.message : failure}`;
  }
}
