import { useId, useState } from "preact/hooks";
import { Button, IconButton, Select, sentenceCase, TextField } from "../../ui";
import type { EditField, Row, Value, Values } from "./edit-state";

/** The form of a memory. `problems` stand at their fields. */
export function MemoryForm({
  fields,
  values,
  problems,
  onValues,
}: {
  fields: readonly EditField[];
  values: Values;
  problems: Readonly<Record<string, string>>;
  onValues: (values: Values) => void;
}) {
  return (
    <div class="memories-form">
      {fields.map((field) => (
        <FormRow
          key={field.key}
          field={field}
          value={values[field.key] ?? ""}
          error={problems[field.key]}
          onValue={(value) => onValues({ ...values, [field.key]: value })}
        />
      ))}
    </div>
  );
}

interface FormRowProps {
  readonly field: EditField;
  readonly value: Value;
  readonly error: string | undefined;
  readonly onValue: (value: Value) => void;
}

function FormRow({ field, value, error, onValue }: FormRowProps) {
  const shared = { label: field.label, hint: sentenceCase(field.help), error, required: field.required };
  switch (field.kind) {
    case "flag":
      return <FlagRow field={field} value={value} error={error} onValue={onValue} />;
    case "choice":
      return <ChoiceRow field={field} value={value} error={error} onValue={onValue} />;
    case "lines":
      return <LinesRow field={field} value={value} error={error} onValue={onValue} />;
    case "tags":
      return <TagsRow field={field} value={value} error={error} onValue={onValue} />;
    case "rows":
      return <RowsRow field={field} value={value} error={error} onValue={onValue} />;
    case "text":
      return (
        <TextField {...shared} value={String(value)} onValue={onValue} lines={lineCount(String(value))} />
      );
    default:
      return <TextField {...shared} value={String(value)} onValue={onValue} />;
  }
}

function lineCount(text: string): number {
  const lines = text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);
  return Math.min(14, Math.max(2, lines));
}

function ChoiceRow({ field, value, error, onValue }: FormRowProps) {
  const current = String(value);
  const names = field.choices.includes(current) ? field.choices : [current, ...field.choices];
  return (
    <Select
      label={field.label}
      hint={sentenceCase(field.help)}
      error={error}
      value={current}
      onValue={onValue}
      choices={names.map((name) => ({ value: name, label: name ? sentenceCase(name) : "Not set" }))}
    />
  );
}

function FlagRow({ field, value, error, onValue }: FormRowProps) {
  return (
    <div class="field">
      <label class="memories-flag">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />
        {field.label}
      </label>
      <FieldNote help={field.help} error={error} />
    </div>
  );
}

function FieldNote({ help, error }: { help: string; error: string | undefined }) {
  return error ? (
    <p class="field-error" role="alert">
      {error}
    </p>
  ) : (
    <p class="hint">{sentenceCase(help)}</p>
  );
}

function LinesRow({ field, value, error, onValue }: FormRowProps) {
  const items = value as readonly string[];
  const change = (index: number, text: string) =>
    onValue(items.map((item, at) => (at === index ? text : item)));
  return (
    <fieldset class="field memories-items">
      <legend>{field.label}</legend>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place while it is edited
        <div key={index} class="memories-item">
          <TextField
            label={`${field.label} ${index + 1}`}
            hideLabel
            value={item}
            onValue={(text) => change(index, text)}
            lines={Math.max(1, lineCount(item) - 1)}
          />
          <IconButton
            icon="close"
            label={`Remove ${field.label} ${index + 1}`}
            onClick={() => onValue(items.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button size="small" variant="quiet" icon="plus" onClick={() => onValue([...items, ""])}>
          Add to {field.label.toLowerCase()}
        </Button>
      </div>
      <FieldNote help={field.help} error={error} />
    </fieldset>
  );
}

function RowsRow({ field, value, error, onValue }: FormRowProps) {
  const rows = value as readonly Row[];
  const change = (index: number, name: string, text: string) =>
    onValue(rows.map((row, at) => (at === index ? { ...row, [name]: text } : row)));
  const empty: Row = Object.fromEntries(field.parts.map((part) => [part.name, ""]));
  return (
    <fieldset class="field memories-items">
      <legend>{field.label}</legend>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place while it is edited
        <div key={index} class="memories-item">
          <div class="memories-parts">
            {field.parts.map((part) => (
              <TextField
                key={part.name}
                label={sentenceCase(part.name)}
                value={row[part.name] ?? ""}
                onValue={(text) => change(index, part.name, text)}
              />
            ))}
          </div>
          <IconButton
            icon="close"
            label={`Remove ${field.label} ${index + 1}`}
            onClick={() => onValue(rows.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button size="small" variant="quiet" icon="plus" onClick={() => onValue([...rows, empty])}>
          Add to {field.label.toLowerCase()}
        </Button>
      </div>
      <FieldNote help={field.help} error={error} />
    </fieldset>
  );
}

function TagsRow({ field, value, error, onValue }: FormRowProps) {
  const id = useId();
  const tags = value as readonly string[];
  const [text, setText] = useState("");
  const add = () => {
    const tag = text.trim().replace(/^#/, "");
    if (tag && !tags.includes(tag)) onValue([...tags, tag]);
    setText("");
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" || event.key === ",") {
      event.preventDefault();
      add();
    } else if (event.key === "Backspace" && !text) {
      onValue(tags.slice(0, -1));
    }
  };
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      <div class="input memories-tags">
        {tags.map((tag) => (
          <span key={tag} class="memories-tag">
            {tag}
            <IconButton
              size="small"
              icon="close"
              label={`Remove the tag ${tag}`}
              onClick={() => onValue(tags.filter((other) => other !== tag))}
            />
          </span>
        ))}
        <input
          id={id}
          type="text"
          value={text}
          placeholder="Add a tag"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={keyDown}
          onBlur={add}
        />
      </div>
      <FieldNote help={field.help} error={error} />
    </div>
  );
}
