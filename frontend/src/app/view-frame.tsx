import { Component, type ComponentChildren, type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { EmptyState, ErrorState, Skeleton } from "../ui/display";
import { Page } from "../ui/layout";
import type { View, ViewProps } from "../views";
import { checkSession } from "./live";
import type { Route } from "./router";

const loaded = new Map<string, ComponentType<ViewProps>>();

/** Loads a view's code when it is first shown, and keeps a failure of one view from taking the others along. */
export function ViewFrame({ view, route }: { view: View | undefined; route: Route }) {
  if (!view) {
    return (
      <Page title="Not found">
        <EmptyState icon="search" title="There is nothing at this address">
          Choose a view on the left, or press <code>?</code> for all keys.
        </EmptyState>
      </Page>
    );
  }
  return (
    <Boundary key={view.name} title={view.title}>
      <LoadedView key={view.name} view={view} route={route} />
    </Boundary>
  );
}

function LoadedView({ view, route }: { view: View; route: Route }) {
  const [, setReady] = useState(loaded.has(view.name));
  const [failure, setFailure] = useState<Error | null>(null);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` asks for another try
  useEffect(() => {
    view.load().then(
      (module) => {
        loaded.set(view.name, module.default);
        setReady(true);
      },
      () => {
        checkSession();
        setFailure(new Error("The code of this view could not be loaded. Is `recollect web` still running?"));
      },
    );
  }, [view, attempt]);
  const Shown = loaded.get(view.name);
  if (Shown) return <Shown path={route.segments.slice(1)} query={route.query} />;
  const retry = () => {
    setFailure(null);
    setAttempt(attempt + 1);
  };
  return (
    <Page title={view.title}>
      {failure ? <ErrorState error={failure} retry={retry} /> : <Skeleton lines={6} />}
    </Page>
  );
}

class Boundary extends Component<{ title: string; children: ComponentChildren }, { failure: Error | null }> {
  override state = { failure: null };

  static override getDerivedStateFromError(failure: Error) {
    return { failure };
  }

  override render() {
    const { failure } = this.state;
    if (!failure) return this.props.children;
    return (
      <Page title={this.props.title}>
        <ErrorState error={failure} retry={() => this.setState({ failure: null })} />
      </Page>
    );
  }
}
