import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { Button, Diff, EmptyState, Loaded, Skeleton, Time } from "../../ui";

/** Who changed a memory and when: the commits of its file, else what the memory records itself. */
export function History({ id }: { id: string }) {
  const history = useResource(
    (signal) => answer(client.GET("/api/memories/{id}/history", { params: { path: { id } }, signal })),
    [id],
    ["memories"],
  );
  return (
    <Loaded of={history} skeleton={<Skeleton lines={4} />}>
      {({ revisions, changes }) =>
        revisions.length === 0 && changes.length === 0 ? (
          <EmptyState icon="clock" title="It has never changed">
            Each change is recorded in the memory. If its file is in git, the commits are shown too.
          </EmptyState>
        ) : (
          <>
            {revisions.length > 0 && (
              <section>
                <h3>In git</h3>
                <ol class="memories-history">
                  {revisions.map((row) => (
                    <Revision key={row.revision} id={id} row={row} />
                  ))}
                </ol>
              </section>
            )}
            {changes.length > 0 && (
              <section>
                <h3>In the memory</h3>
                <ol class="memories-history">
                  {changes.map((row) => (
                    <li key={`${row.at}${row.summary}`}>
                      <span class="grow">{row.summary}</span>
                      <span class="faint">
                        <Time at={row.at} />
                      </span>
                    </li>
                  ))}
                </ol>
              </section>
            )}
          </>
        )
      }
    </Loaded>
  );
}

interface RevisionRow {
  readonly revision: string;
  readonly at: string;
  readonly author: string;
  readonly summary: string;
}

function Revision({ id, row }: { id: string; row: RevisionRow }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <span class="grow">
        {row.summary}
        <span class="faint"> · {row.author}</span>
      </span>
      <span class="faint">
        <Time at={row.at} />
      </span>
      <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Hide" : "Show"} change
      </Button>
      {open && <RevisionDiff id={id} revision={row.revision} />}
    </li>
  );
}

function RevisionDiff({ id, revision }: { id: string; revision: string }) {
  const texts = useResource(
    (signal) =>
      answer(
        client.GET("/api/memories/{id}/history/{revision}", { params: { path: { id, revision } }, signal }),
      ),
    [id, revision],
    [],
  );
  return (
    <div class="memories-revision">
      <Loaded of={texts} skeleton={<Skeleton lines={3} />}>
        {({ before, after }) => <Diff before={before} after={after} label="Change of the file" />}
      </Loaded>
    </div>
  );
}
