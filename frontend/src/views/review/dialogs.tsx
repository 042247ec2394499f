import { useMemo, useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { Button, CategoryBadge, Dialog, Skeleton, TextField } from "../../ui";
import { editFields, readValues, type Values, writeFields } from "../memories/edit-state";
import { MemoryForm } from "../memories/form";
import type { CategoryForm, RecordDocument } from "../memories/types";
import type { Decision, WaitingRow } from ".";

interface DialogProps {
  readonly item: WaitingRow;
  readonly onClose: () => void;
  readonly onDecide: (decision: Decision) => Promise<void>;
}

/** Change a draft before it is kept. */
export function DraftDialog({ item, onClose, onDecide }: DialogProps) {
  const forms = useResource((signal) => answer(client.GET("/api/memory-forms", { signal })), [], []);
  const document = (item.document ?? {}) as RecordDocument;
  const form = forms.data?.categories.find(({ category }) => category === document.category);
  if (!form) return <Skeleton height={1} />;
  return <DraftForm document={document} form={form} onClose={onClose} onDecide={onDecide} />;
}

function DraftForm({
  document,
  form,
  onClose,
  onDecide,
}: Omit<DialogProps, "item"> & { document: RecordDocument; form: CategoryForm }) {
  const fields = useMemo(() => editFields(form).filter(({ key }) => !UNDRAFTED.includes(key)), [form]);
  const [values, setValues] = useState<Values>(() => readValues(document, fields));
  const save = async () => {
    onClose();
    await onDecide({ act: "edit", fields: writeFields(document, fields, values) });
  };
  return (
    <Dialog
      title="Change the draft"
      open
      size="large"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={() => void save()}>
            Save the draft
          </Button>
        </>
      }
    >
      <MemoryForm fields={fields} values={values} problems={{}} onValues={setValues} />
    </Dialog>
  );
}

const UNDRAFTED = ["valid_from", "valid_to", "confidence"];

/** Choose the memory that a draft is added to. */
export function MergeDialog({ item, onClose, onDecide }: DialogProps) {
  const [text, setText] = useState(item.title);
  const category = String((item.document as RecordDocument | undefined)?.category ?? "");
  const hits = useResource(
    async (signal) => {
      if (!text.trim()) return [];
      const query = { q: text.slice(0, 400), category: [category as "runbook"], limit: 8 };
      return (await answer(client.GET("/api/search", { params: { query }, signal }))).hits;
    },
    [text, category],
    [],
  );
  const merge = async (target: string) => {
    onClose();
    await onDecide({ act: "merge", target });
  };
  return (
    <Dialog title="Merge into which memory?" open onClose={onClose}>
      <div class="memories-form">
        <TextField label="Which memory" value={text} onValue={setText} />
        <ul class="memories-choices" aria-label="Memories">
          {(hits.data ?? []).map((hit) => (
            <li key={hit.id}>
              <button type="button" onClick={() => void merge(hit.id)}>
                <span class="truncate grow">{hit.title}</span>
                <CategoryBadge category={hit.category} />
              </button>
            </li>
          ))}
        </ul>
        {hits.data?.length === 0 && <p class="muted">No memory of this kind matches.</p>}
      </div>
    </Dialog>
  );
}
