import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { setQuery } from "../../app/router";
import { Badge, Button, Card, Loaded, Select, Skeleton, Table, TextField, type Tone } from "../../ui";
import { asKind, KIND_CHOICES } from "./model";

const VERDICTS: Readonly<Record<string, Tone>> = { helps: "good", hurts: "bad" };

/** Stored traces scored again with other parameters: would that have been better? */
export function Replay({ query }: { query: URLSearchParams }) {
  const kind = asKind(query.get("kind") ?? "") ?? "gate";
  const asked = (query.get("param") ?? "").split(" ").filter(Boolean);
  const [text, setText] = useState(asked.join(" "));
  const replay = useResource(
    (signal) => answer(client.GET("/api/replay", { params: { query: { kind, param: asked } }, signal })),
    [kind, asked],
    [],
  );
  const submit = (event: Event) => {
    event.preventDefault();
    setQuery({ param: text.trim() });
    replay.reload();
  };
  return (
    <div class="stack">
      <form class="traces-form" onSubmit={submit}>
        <Select
          label="Decisions"
          value={kind}
          onValue={(value) => setQuery({ kind: value })}
          choices={KIND_CHOICES}
        />
        <TextField
          label="Parameters to change"
          hint="NAME=VALUE, separated by spaces: threshold=0.5. Nothing is stored."
          value={text}
          onValue={setText}
          mono
          error={replay.error && !replay.loading ? replay.error.message : undefined}
        />
        <Button type="submit" variant="primary" icon="play" busy={replay.loading}>
          Replay
        </Button>
      </form>
      <Loaded of={replay} skeleton={<Skeleton height={220} />}>
        {(data) => (
          <Card title={`${data.scorings.toLocaleString("en")} decisions with a known outcome`}>
            <div class="stack" aria-live="polite">
              <div>
                <Badge tone={VERDICTS[data.verdict] ?? "neutral"}>{data.verdict}</Badge>
              </div>
              <Table
                label="Replay"
                rows={[
                  { name: "Recorded", ...data.before },
                  { name: "Changed", ...data.after },
                ]}
                rowKey={(row) => row.name}
                columns={[
                  { key: "name", title: "Parameters", render: (row) => row.name },
                  { key: "quality", title: "Quality", align: "end", render: (row) => row.quality.toFixed(4) },
                  {
                    key: "precision",
                    title: "Precision",
                    align: "end",
                    render: (row) => row.precision?.toFixed(3) ?? "–",
                  },
                  {
                    key: "recall",
                    title: "Recall",
                    align: "end",
                    render: (row) => row.recall?.toFixed(3) ?? "–",
                  },
                ]}
              />
              <p class="muted">
                Difference {signed(data.difference)}, with 95% confidence from {signed(data.low)} to{" "}
                {signed(data.high)}.{" "}
                {data.inexact === 0
                  ? "Every recorded score is reproduced exactly."
                  : `${data.inexact} recorded scores are not reproduced.`}
              </p>
            </div>
          </Card>
        )}
      </Loaded>
    </div>
  );
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
}
