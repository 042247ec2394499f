import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, answer, client } from "../../api/client";
import { useShortcuts } from "../../app/keyboard";
import { Button, Dialog, Diff, toast, toastError } from "../../ui";
import { Conflict } from "./conflict";
import { dropEdit, loadEdit, storeEdit, type UnsavedEdit } from "./draft-store";
import {
  changedKeys,
  type EditField,
  editFields,
  labelOf,
  mergeValues,
  problemKey,
  readValues,
  type Values,
  valueText,
  writeFields,
} from "./edit-state";
import { MemoryForm } from "./form";
import type { CategoryForm, MemoryPage, Problem } from "./types";

const CHECK_MS = 250; // of silence after which an edit is checked

/** A form over a memory. What is typed stays until it is saved or discarded, whatever happens on disk. */
export function Editor({ page, form, onDone }: { page: MemoryPage; form: CategoryForm; onDone: () => void }) {
  const fields = useMemo(() => editFields(form), [form]);
  const [edit, setEdit] = useState<UnsavedEdit>(() => loadEdit(page.id) ?? freshEdit(page, fields));
  const [refusedBy, setRefusedBy] = useState<MemoryPage | null>(null);
  const [reviewing, setReviewing] = useState(false);
  const base = useMemo(() => readValues(edit.document, fields), [edit.document, fields]);
  const changed = changedKeys(base, edit.values);
  const [problems, setProblems] = useProblems(page.id, edit, fields, changed.length > 0);
  const current = [page, refusedBy].find((other) => other && other.version !== edit.version);

  const change = (next: UnsavedEdit) => {
    setEdit(next);
    storeEdit(page.id, next);
  };
  const discard = () => {
    dropEdit(page.id);
    onDone();
  };
  const save = async () => {
    const conflict = await saveEdit(page.id, edit, fields, setProblems);
    setReviewing(false);
    if (conflict === "saved") onDone();
    else if (conflict) setRefusedBy(conflict);
  };
  const review = () => (changed.length > 0 ? setReviewing(true) : discard());
  useShortcuts([
    {
      keys: "mod+Enter",
      label: "Review the changes and save",
      group: "Editing",
      run: review,
      whileTyping: true,
    },
    { keys: "Escape", label: "Stop editing", group: "Editing", run: onDone, whileTyping: true },
  ]);
  const theirs = current ? readValues(current.memory, fields) : base;
  const general = problems.filter(({ field }) => !problemKey(field, Object.keys(edit.values)));
  return (
    <form
      class="memories-editor"
      aria-label={`Edit ${page.id}`}
      onSubmit={(event) => {
        event.preventDefault();
        review();
      }}
    >
      {current && (
        <Conflict
          merge={mergeValues(base, edit.values, theirs)}
          mine={edit.values}
          theirs={theirs}
          onSettled={(values) => change({ version: current.version, document: current.memory, values })}
        />
      )}
      <MemoryForm
        fields={fields}
        values={edit.values}
        problems={byKey(problems, Object.keys(edit.values))}
        onValues={(values) => change({ ...edit, values })}
      />
      {general.map((problem) => (
        <p key={problem.field} class="field-error" role="alert">
          {problem.field}: {problem.message}
        </p>
      ))}
      <footer class="memories-editor-foot">
        <span class="faint grow" role="status">
          {changed.length === 0
            ? "Nothing changed yet"
            : `${changed.length} changed: ${changed.map(labelOf).join(", ")}`}
        </span>
        <Button onClick={discard}>{changed.length === 0 ? "Cancel" : "Discard"}</Button>
        <Button
          type="submit"
          variant="primary"
          keys="mod+Enter"
          disabled={changed.length === 0 || problems.length > 0 || current !== undefined}
        >
          Review and save
        </Button>
      </footer>
      {reviewing && (
        <Changes
          base={base}
          values={edit.values}
          changed={changed}
          onSave={save}
          onClose={() => setReviewing(false)}
        />
      )}
    </form>
  );
}

function freshEdit(page: MemoryPage, fields: readonly EditField[]): UnsavedEdit {
  return { version: page.version, document: page.memory, values: readValues(page.memory, fields) };
}

function byKey(problems: readonly Problem[], keys: readonly string[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { field, message } of problems) {
    const key = problemKey(field, keys);
    if (key) texts[key] = [texts[key], sentence(message)].filter(Boolean).join(" ");
  }
  return texts;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** What the server says is wrong with an edit, asked when typing pauses. */
function useProblems(id: string, edit: UnsavedEdit, fields: readonly EditField[], isChanged: boolean) {
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  useEffect(() => {
    if (!isChanged) {
      setProblems([]);
      return;
    }
    const abort = new AbortController();
    const check = async () => {
      const body = { version: edit.version, fields: writeFields(edit.document, fields, edit.values) };
      const path = { path: { id }, header: { "X-Recollect": "1" as const } };
      try {
        const request = client.POST("/api/memories/{id}/check", { params: path, body, signal: abort.signal });
        setProblems((await answer(request)).problems);
      } catch {
        // saving asks again and says what is wrong
      }
    };
    const timer = window.setTimeout(() => void check(), CHECK_MS);
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [id, edit, fields, isChanged]);
  return [problems, setProblems] as const;
}

/** Save an edit: "saved", the memory as it is now if it changed meanwhile, or null where it was refused. */
async function saveEdit(
  id: string,
  edit: UnsavedEdit,
  fields: readonly EditField[],
  showProblems: (problems: readonly Problem[]) => void,
): Promise<MemoryPage | "saved" | null> {
  const sent = writeFields(edit.document, fields, edit.values);
  try {
    const saved = await putFields(id, edit.version, sent);
    dropEdit(id);
    const redacted = saved.redacted?.length ? ` A secret was removed from ${saved.redacted[0]?.field}.` : "";
    const before = Object.fromEntries(Object.keys(sent).map((key) => [key, edit.document[key] ?? null]));
    toast({ text: `Saved.${redacted}`, tone: "good", undo: () => putFields(id, saved.version, before) });
    return "saved";
  } catch (failure) {
    const body =
      failure instanceof ApiError ? (failure.body as { current?: MemoryPage; problems?: Problem[] }) : null;
    if (body?.current) return body.current;
    if (body?.problems) showProblems(body.problems);
    toastError(failure);
    return null;
  }
}

function putFields(id: string, version: string, fields: Record<string, unknown>) {
  const params = { path: { id }, header: { "X-Recollect": "1" as const } };
  return answer(client.PUT("/api/memories/{id}", { params, body: { version, fields } }));
}

/** What an edit changes, before it is saved. */
export function Changes({
  base,
  values,
  changed,
  onSave,
  onClose,
}: {
  base: Values;
  values: Values;
  changed: readonly string[];
  onSave: () => Promise<void>;
  onClose: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    await onSave();
    setBusy(false);
  };
  return (
    <Dialog
      title="Save these changes?"
      open
      size="large"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button variant="primary" busy={busy} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div class="memories-changes">
        {changed.map((key) => (
          <section key={key}>
            <h3>{labelOf(key)}</h3>
            <Diff
              before={valueText(base[key])}
              after={valueText(values[key])}
              label={`Change of ${labelOf(key)}`}
            />
          </section>
        ))}
      </div>
    </Dialog>
  );
}
