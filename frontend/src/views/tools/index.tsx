import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { setQuery } from "../../app/router";
import { EmptyState, Loaded, Page, Skeleton, Tabs } from "../../ui";
import type { ViewProps } from "..";
import { Capabilities } from "./capabilities";
import { ReceiptsTable } from "./receipts";
import { Reviews } from "./reviews";
import { Servers } from "./servers";
import "./tools.css";

export default function Tools({ query }: ViewProps) {
  const servers = useResource((signal) => answer(client.GET("/api/servers", { signal })), [], ["tools"]);
  const reviews = useResource((signal) => answer(client.GET("/api/tool-reviews", { signal })), [], ["tools"]);
  const waiting = (reviews.data?.tools ?? []).filter((tool) => tool.state === "changed").length;
  const tab = query.get("tab") ?? "capabilities";
  return (
    <Page
      wide
      title="Tools"
      subtitle="Servers behind the gateway, what they cost, and code that worked with them."
    >
      <Loaded of={servers} skeleton={<Skeleton height={420} />}>
        {(data) =>
          data.servers.length === 0 ? (
            <NoServers />
          ) : (
            <Tabs
              label="Parts of the tools"
              value={tab}
              onValue={(value) => setQuery({ tab: value === "capabilities" ? undefined : value })}
              tabs={[
                { value: "capabilities", label: "Capabilities" },
                { value: "servers", label: "Servers", count: data.servers.length },
                { value: "review", label: "Review", count: waiting },
                { value: "receipts", label: "Receipts" },
              ]}
            >
              {tab === "servers" && <Servers servers={data.servers} query={query} />}
              {tab === "review" && <Reviews reviews={reviews} />}
              {tab === "receipts" && <ReceiptsTable />}
              {tab === "capabilities" && <Capabilities query={query} />}
            </Tabs>
          )
        }
      </Loaded>
    </Page>
  );
}

function NoServers() {
  return (
    <EmptyState icon="tools" title="No tool servers yet">
      Servers behind the gateway, their tools and their receipts appear here. Add one with{" "}
      <code>recollect gateway add NAME -- COMMAND</code>, or take over those of your harness with{" "}
      <code>recollect gateway import</code>.
    </EmptyState>
  );
}
