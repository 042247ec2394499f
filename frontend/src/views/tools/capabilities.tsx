import { useMemo } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { useShortcuts } from "../../app/keyboard";
import { setQuery } from "../../app/router";
import { Badge, Button, Card, EmptyState, Graph, IconButton, Loaded, Skeleton } from "../../ui";
import { CapabilityPanel, ToolPanel } from "./capability-panel";
import { type Capability, copiesOf, names, nodeId, pictureOf } from "./model";

/** Code that worked, as boxes that contain the tools it calls. */
export function Capabilities({ query }: { query: URLSearchParams }) {
  const capabilities = useResource(
    (signal) => answer(client.GET("/api/capabilities", { signal })),
    [],
    ["tools", "runs"],
  );
  return (
    <Loaded of={capabilities} skeleton={<Skeleton height={480} />}>
      {(data) =>
        data.capabilities.length ? (
          <Shown capabilities={data.capabilities} query={query} />
        ) : (
          <EmptyState icon="tools" title="No capabilities yet">
            Code that calls tools and succeeds is kept here for reuse. Try{" "}
            <code>recollect run code FILE</code>, or let an agent run code.
          </EmptyState>
        )
      }
    </Loaded>
  );
}

function Shown({ capabilities, query }: { capabilities: readonly Capability[]; query: URLSearchParams }) {
  const closedText = query.get("closed") ?? "";
  const tool = query.get("tool") ?? undefined;
  const selected = capabilities.find((each) => each.name === query.get("capability"));
  const key = JSON.stringify(capabilities);
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal capabilities of another answer draw nothing anew
  const picture = useMemo(() => pictureOf(capabilities, names(closedText)), [key, closedText]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const copies = useMemo(
    () => (tool ? copiesOf(tool, capabilities, names(closedText)) : new Set<string>()),
    [key, tool, closedText],
  );
  const select = (id: string | undefined) => {
    const place = id === undefined ? undefined : picture.places.get(id);
    setQuery({ capability: place?.capability, tool: place?.tool });
  };
  const toggle = (name: string) => {
    const closed = new Set(names(closedText));
    if (!closed.delete(name)) closed.add(name);
    setQuery({ closed: [...closed].join(",") });
  };
  const index = selected ? capabilities.indexOf(selected) : -1;
  const move = (step: number) => {
    const next = capabilities[Math.max(0, Math.min(capabilities.length - 1, index + step))];
    if (next) setQuery({ capability: next.name, tool: undefined });
  };
  useShortcuts([
    { keys: "j", label: "Next capability", group: "Tools", run: () => move(1) },
    { keys: "k", label: "Previous capability", group: "Tools", run: () => move(-1) },
    {
      keys: "x",
      label: "Open or close the capability",
      group: "Tools",
      run: () => selected && toggle(selected.name),
    },
  ]);
  const current = selected && nodeId({ capability: selected.name, ...(tool ? { tool } : {}) });
  return (
    <div class="tools-body">
      <div class="stack">
        <div class="row wrap">
          <Button size="small" onClick={() => setQuery({ closed: undefined })}>
            Open all
          </Button>
          <Button
            size="small"
            onClick={() => setQuery({ closed: capabilities.map((each) => each.name).join(",") })}
          >
            Close all
          </Button>
          <span class="faint">Select a tool to see everything that uses it.</span>
        </div>
        <Graph
          label="Capabilities and their tools"
          nodes={picture.nodes}
          edges={picture.edges}
          layout="force"
          selected={current}
          highlighted={copies}
          onSelect={select}
          onOpen={(id) => {
            const place = picture.places.get(id);
            if (place && !place.tool) toggle(place.capability);
          }}
          height={420}
        />
        <CapabilityList
          capabilities={capabilities}
          closed={names(closedText)}
          selected={selected?.name}
          tool={tool}
          toggle={toggle}
        />
      </div>
      <aside class="tools-aside" aria-label="Selected">
        {tool && <ToolPanel tool={tool} capabilities={capabilities} />}
        {selected && <CapabilityPanel key={selected.name} name={selected.name} />}
        {!selected && !tool && (
          <Card>
            <EmptyState icon="tools" title="Nothing selected">
              Select a capability to see its code and run it.
            </EmptyState>
          </Card>
        )}
      </aside>
    </div>
  );
}

interface ListProps {
  readonly capabilities: readonly Capability[];
  readonly closed: ReadonlySet<string>;
  readonly selected: string | undefined;
  readonly tool: string | undefined;
  readonly toggle: (name: string) => void;
}

/** The same as the picture, for the keyboard and for those who do not see it. */
function CapabilityList({ capabilities, closed, selected, tool, toggle }: ListProps) {
  return (
    <Card flush>
      <ul class="tools-list" aria-label="Capabilities">
        {capabilities.map((each) => (
          <li key={each.name}>
            <div class="tools-line">
              <IconButton
                size="small"
                icon={closed.has(each.name) ? "chevron-right" : "chevron-down"}
                label={`${closed.has(each.name) ? "Open" : "Close"} ${each.name}`}
                aria-expanded={!closed.has(each.name)}
                onClick={() => toggle(each.name)}
              />
              <Button
                variant="quiet"
                size="small"
                aria-pressed={each.name === selected && !tool}
                onClick={() => setQuery({ capability: each.name, tool: undefined })}
              >
                {each.name}
              </Button>
              <span class="grow truncate muted">{each.intent}</span>
              {each.stale.length > 0 && <Badge tone="warn">stale</Badge>}
              <span class="faint number">
                {each.successes} of {each.runs}
              </span>
            </div>
            {!closed.has(each.name) && (
              <div class="tools-chips">
                {each.tools.map((name) => (
                  <Button
                    key={name}
                    size="small"
                    class="tools-chip"
                    aria-pressed={name === tool}
                    onClick={() => setQuery({ capability: each.name, tool: name })}
                  >
                    {name}
                  </Button>
                ))}
              </div>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
