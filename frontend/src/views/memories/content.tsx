import { labelOf } from "./edit-state";
import type { CategoryForm, FormField, RecordDocument } from "./types";

/** The content of a memory, field by field in the order of its category; unknown fields follow as JSON. */
export function Content({ document, form }: { document: RecordDocument; form: CategoryForm | undefined }) {
  const content = (document.content ?? {}) as Record<string, unknown>;
  const known = form?.fields ?? [];
  const names = [...known.map(({ name }) => name), ...Object.keys(content)];
  const shown = [...new Set(names)].filter((name) => !isEmpty(content[name]));
  return (
    <dl class="memories-content">
      {shown.map((name) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>
            <FieldValue value={content[name]} field={known.find((field) => field.name === name)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

function FieldValue({ value, field }: { value: unknown; field: FormField | undefined }) {
  if (typeof value === "string") return <p class="memories-text">{value}</p>;
  if (typeof value === "boolean") return <p>{value ? "Yes" : "No"}</p>;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    const List = field?.name === "steps" ? "ol" : "ul";
    return (
      <List>
        {value.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be equal
          <li key={index} class="memories-text">
            {item}
          </li>
        ))}
      </List>
    );
  }
  if (Array.isArray(value) && field?.kind === "rows") return <Rows rows={value} field={field} />;
  if (field?.kind === "group" && typeof value === "object" && value !== null) {
    const group = value as Record<string, unknown>;
    return (
      <>
        {field.fields
          .filter((part) => !isEmpty(group[part.name]))
          .map((part) => (
            <div key={part.name}>
              <p class="faint">{labelOf(part.name)}</p>
              <FieldValue value={group[part.name]} field={part} />
            </div>
          ))}
      </>
    );
  }
  return <pre class="memories-json">{JSON.stringify(value, null, 2)}</pre>;
}

function Rows({ rows, field }: { rows: readonly unknown[]; field: FormField }) {
  const [first, ...others] = field.fields.map((part) => part.name);
  return (
    <ul>
      {rows.map((row, index) => {
        const values = (row ?? {}) as Record<string, unknown>;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two rows may be equal
          <li key={index} class="memories-text">
            <strong>{String(values[first ?? ""] ?? "")}</strong>
            {others.map((name) => (values[name] ? ` — ${String(values[name])}` : ""))}
          </li>
        );
      })}
    </ul>
  );
}
