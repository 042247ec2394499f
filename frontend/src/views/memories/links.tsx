import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { may } from "../../app/project";
import { pathTo } from "../../app/router";
import { Button, CategoryBadge, Dialog, IconButton, Link, Select, sentenceCase, TextField } from "../../ui";
import { link, unlink } from "./acts";
import type { LinkedRow, LinkType } from "./types";

const MEANINGS: Readonly<Record<string, string>> = {
  caused: "This memory caused the other",
  enabled: "This memory made the other possible",
  supersedes: "This memory replaces the other, which is no longer valid",
  contradicts: "The two cannot both be true",
  derived_from: "This memory follows from the other",
  supports: "This memory is evidence for the other",
  implements: "This memory does what a skill describes",
};

/** The links of a memory, in both directions. Those that it stores itself can be removed here. */
export function Links({ id, links }: { id: string; links: readonly LinkedRow[] }) {
  if (links.length === 0)
    return <p class="muted">No links yet. They show what led to a memory, and what followed from it.</p>;
  return (
    <ul class="memories-links">
      {links.map((row) => (
        <li key={`${row.type}${row.id}${row.holds}`}>
          <span class="memories-phrase faint">{row.phrase}</span>
          <span class="grow memories-link-target">
            <Link to={row.id.startsWith("skill:") ? pathTo("graph") : pathTo("memories", row.id)}>
              {row.title ?? row.id}
            </Link>{" "}
            {row.category && <CategoryBadge category={row.category} />}
            {row.evidence && <span class="faint memories-evidence">{row.evidence}</span>}
          </span>
          {row.holds && may("memories.write") && (
            <IconButton
              icon="close"
              size="small"
              label={`Remove the link to ${row.title ?? row.id}`}
              onClick={() =>
                void unlink(id, { type: row.type as LinkType, target: row.id, evidence: row.evidence ?? "" })
              }
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Choose a memory by searching for it, and how this one relates to it. */
export function LinkDialog({
  id,
  types,
  onClose,
}: {
  id: string;
  types: readonly string[];
  onClose: () => void;
}) {
  const [type, setType] = useState("derived_from");
  const [text, setText] = useState("");
  const [target, setTarget] = useState("");
  const [evidence, setEvidence] = useState("");
  const hits = useResource(
    async (signal) => {
      if (!text.trim()) return [];
      const query = { q: text, state: "all" as const, limit: 6 };
      const out = await answer(client.GET("/api/search", { params: { query }, signal }));
      return out.hits.filter((hit) => hit.id !== id);
    },
    [text],
    [],
  );
  const add = async () => {
    if (await link(id, { type: type as LinkType, target, evidence })) onClose();
  };
  return (
    <Dialog
      title="Link to another memory"
      open
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={!target} onClick={() => void add()}>
            Link
          </Button>
        </>
      }
    >
      <div class="memories-form">
        <Select
          label="How"
          hint={MEANINGS[type]}
          value={type}
          onValue={setType}
          choices={types.map((name) => ({ value: name, label: sentenceCase(name) }))}
        />
        <TextField
          label="Which memory"
          value={text}
          onValue={setText}
          placeholder="Words from the other memory"
        />
        <ul class="memories-choices" aria-label="Memories">
          {(hits.data ?? []).map((hit) => (
            <li key={hit.id}>
              <button type="button" aria-pressed={hit.id === target} onClick={() => setTarget(hit.id)}>
                <span class="truncate grow">{hit.title}</span>
                <CategoryBadge category={hit.category} />
              </button>
            </li>
          ))}
        </ul>
        <TextField
          label="Evidence"
          hint="Why it is true: a commit, a date, a document"
          value={evidence}
          onValue={setEvidence}
        />
      </div>
    </Dialog>
  );
}
