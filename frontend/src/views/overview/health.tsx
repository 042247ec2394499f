import type { Resource } from "../../api/resource";
import type { components } from "../../api/schema";
import {
  Badge,
  Button,
  Card,
  CopyButton,
  Icon,
  IconButton,
  Loaded,
  Skeleton,
  Stat,
  type Tone,
} from "../../ui";

type Health = components["schemas"]["DoctorOutput"];
type Finding = components["schemas"]["FindingRow"];

const TONES: Readonly<Record<string, Tone>> = { error: "bad", warning: "warn" };
const SHOWN = 6;

export function HealthStat({ health, examines }: { health: Resource<Health>; examines: boolean }) {
  if (!examines) return <Stat label="Health" value="–" note="not checked yet" />;
  if (!health.data)
    return <Stat label="Health" value="…" note={health.error ? "could not be read" : "being checked"} />;
  const errors = health.data.findings.filter((finding) => finding.level === "error").length;
  const warnings = health.data.findings.length - errors;
  if (errors > 0)
    return (
      <Stat label="Health" value={errors} unit="to fix" tone="bad" note={`and ${warnings} to look at`} />
    );
  if (warnings > 0) return <Stat label="Health" value="Well" tone="good" note={`${warnings} to look at`} />;
  return <Stat label="Health" value="Well" tone="good" note="every check passed" />;
}

/** What `recollect doctor` finds, the worst first, each with what mends it. */
export function HealthCard({
  health,
  examine,
}: {
  health: Resource<Health>;
  examine: (() => void) | undefined;
}) {
  if (examine) {
    return (
      <Card title="Health">
        <p class="muted">With this many memories, the check takes a few seconds.</p>
        <p class="findings-action">
          <Button icon="check" onClick={examine}>
            Check now
          </Button>
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="Health"
      actions={
        <IconButton
          size="small"
          icon="restore"
          label="Check again"
          onClick={health.reload}
          busy={health.loading}
        />
      }
    >
      <Loaded of={health} skeleton={<Skeleton lines={5} />}>
        {(data) =>
          data.findings.length === 0 ? (
            <AllWell memories={data.memories} />
          ) : (
            <Findings findings={data.findings} />
          )
        }
      </Loaded>
    </Card>
  );
}

function AllWell({ memories }: { memories: number }) {
  return (
    <div class="calm muted">
      <Icon name="check" size={22} />
      <p>All {memories.toLocaleString("en")} memories can be read, and every check passed.</p>
    </div>
  );
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  const order = ["error", "warning", "note"];
  const sorted = [...findings].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  return (
    <>
      <ul class="findings">
        {sorted.slice(0, SHOWN).map((finding) => (
          <li key={`${finding.check} ${finding.path} ${finding.message}`}>
            <Badge tone={TONES[finding.level] ?? "neutral"}>{finding.level}</Badge>
            <div class="grow">
              <p>{finding.message}</p>
              {finding.advice && <p class="faint">{finding.advice}</p>}
            </div>
          </li>
        ))}
      </ul>
      {sorted.length > SHOWN && (
        <p class="row faint">
          {sorted.length - SHOWN} more: <code>recollect doctor</code>
          <CopyButton text="recollect doctor" label="Copy the command" />
        </p>
      )}
    </>
  );
}
