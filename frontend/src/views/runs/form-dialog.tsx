import { useState } from "preact/hooks";
import { Button, Dialog, TextField, toastError } from "../../ui";
import { type FormField, type FormValues, parsedForm } from "./form";

export interface FormSpec {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly fields: readonly FormField[];
  readonly submit: (values: FormValues) => Promise<unknown>;
}

/** Ask for the values of a command. It stays open, with what was typed, when the server refuses. */
export function FormDialog({ spec, onClose }: { spec: FormSpec; onClose: () => void }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(spec.fields.map((field) => [field.name, field.initial ?? ""])),
  );
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const send = async () => {
    const form = parsedForm(spec.fields, texts);
    setErrors("errors" in form ? form.errors : {});
    if ("errors" in form) return;
    setBusy(true);
    try {
      await spec.submit(form.values);
      onClose();
    } catch (failure) {
      toastError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={spec.title}
      open
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} onClick={() => void send()}>
            {spec.action}
          </Button>
        </>
      }
    >
      <div class="stack">
        <p class="muted">{spec.text}</p>
        {spec.fields.map((field) => (
          <TextField
            key={field.name}
            label={field.optional ? `${field.label} (optional)` : field.label}
            value={texts[field.name] ?? ""}
            onValue={(text) => setTexts((before) => ({ ...before, [field.name]: text }))}
            mono={field.kind === "json"}
            hint={field.hint}
            error={errors[field.name]}
            {...(field.lines ? { lines: field.lines } : {})}
          />
        ))}
      </div>
    </Dialog>
  );
}
