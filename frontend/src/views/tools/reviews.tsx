import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import type { Resource } from "../../api/resource";
import type { components } from "../../api/schema";
import { project } from "../../app/project";
import {
  Badge,
  Button,
  Card,
  confirm,
  Diff,
  EmptyState,
  Icon,
  Loaded,
  Skeleton,
  StateBadge,
  toast,
  toastError,
} from "../../ui";
import type { ToolReview } from "./model";

/** Tools that changed since a person accepted them, and texts that look like instructions. */
export function Reviews({ reviews }: { reviews: Resource<components["schemas"]["ToolReviewsOutput"]> }) {
  const refusal = project.value?.approval_refusal ?? "";
  return (
    <Loaded of={reviews} skeleton={<Skeleton height={320} />}>
      {(data) =>
        data.tools.length === 0 ? (
          <EmptyState icon="check" title="Nothing to review">
            No tool has changed since it was accepted, and none is flagged. A tool that changes is blocked
            until a person accepts it here.
          </EmptyState>
        ) : (
          <div class="stack">
            {refusal && (
              <p class="tools-notice" data-tone="bad">
                <Icon name="lock" />
                <span>
                  <b>You cannot decide here.</b> {refusal}
                </span>
              </p>
            )}
            {data.tools.map((tool) => (
              <ReviewCard key={tool.id} tool={tool} decides={project.value !== null && !refusal} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function ReviewCard({ tool, decides }: { tool: ToolReview; decides: boolean }) {
  const isChanged = tool.state !== "pinned";
  return (
    <Card
      label={`Review of ${tool.id}`}
      title={
        <span class="row wrap">
          <span>{tool.id}</span>
          {isChanged ? <StateBadge state={tool.state} /> : <Badge tone="warn">flagged</Badge>}
        </span>
      }
    >
      <div class="stack">
        {tool.changes.length > 0 && (
          <ul class="tools-changes">
            {tool.changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        )}
        <ul class="tools-flags">
          {tool.flags.map((flag) => (
            <li key={`${flag.where}${flag.excerpt}`}>
              <Badge tone="bad" icon="warning">
                {flag.reason}
              </Badge>{" "}
              <span class="muted">
                {flag.where}: {flag.excerpt}
              </span>
            </li>
          ))}
          {tool.shadows.map((shadow) => (
            <li key={shadow}>
              <Badge tone="warn">imitates another tool</Badge> <span class="muted">{shadow}</span>
            </li>
          ))}
        </ul>
        {isChanged && <Diff before={tool.before} after={tool.after} label={`What changed in ${tool.id}`} />}
        {isChanged && decides && <Decision tool={tool} />}
      </div>
    </Card>
  );
}

function Decision({ tool }: { tool: ToolReview }) {
  const [busy, setBusy] = useState(false);
  const decide = async (decision: "accept" | "reject") => {
    if (decision === "accept" && !(await confirmed(tool))) return;
    setBusy(true);
    try {
      await answer(
        client.POST("/api/tool-reviews", {
          params: { header: { "X-Recollect": "1" } },
          body: { tool: tool.id, version: tool.version, decision },
        }),
      );
      toast({ text: `${tool.id} is ${decision}ed.`, tone: "good" });
    } catch (failure) {
      toastError(failure);
    }
    setBusy(false);
  };
  return (
    <div class="row wrap">
      <Button variant="primary" icon="check" busy={busy} onClick={() => void decide("accept")}>
        Accept
      </Button>
      {tool.state === "changed" && (
        <Button variant="danger" icon="close" busy={busy} onClick={() => void decide("reject")}>
          Reject
        </Button>
      )}
      {tool.state === "rejected" && (
        <span class="muted">
          You rejected this version: the tool stays blocked, and you can still accept it.
        </span>
      )}
    </div>
  );
}

function confirmed(tool: ToolReview): Promise<boolean> {
  return confirm({
    title: `Accept the change to ${tool.id}?`,
    text: "Models see the new description from now on, and the tool can be called again. This cannot be undone here.",
    action: "Accept the change",
  });
}
