import { Button } from "../ui/controls";
import { Icon } from "../ui/icons";
import { connection, retryNow } from "./live";
import { project } from "./project";

const TEXTS = {
  connecting: "Connecting",
  live: "Live",
  disconnected: "Disconnected",
  "signed-out": "Signed out",
} as const;

/** A word and a dot: whether what is shown is current. */
export function ConnectionState() {
  const state = connection.value;
  return (
    <span class="connection" data-state={state} role="status">
      <span class="dot" />
      <span class="connection-text">{TEXTS[state]}</span>
    </span>
  );
}

function SignedOut() {
  if (project.value?.member) {
    return (
      <span class="grow">
        Your token is no longer valid. <a href="/">Sign in</a> with another one; an administrator of the
        project makes it.
      </span>
    );
  }
  return (
    <span class="grow">
      This address is no longer signed in. Open the one that <code>recollect web</code> printed.
    </span>
  );
}

/** Says across the page that nothing is live any more, and what mends it. */
export function ConnectionNotice() {
  const state = connection.value;
  if (state === "live" || state === "connecting") return null;
  return (
    <div class="notice" role="alert">
      <Icon name="offline" />
      {state === "signed-out" ? (
        <SignedOut />
      ) : (
        <>
          <span class="grow">
            Recollect does not answer. What you see may be out of date; the page keeps trying.
          </span>
          <Button size="small" onClick={retryNow}>
            Try now
          </Button>
        </>
      )}
    </div>
  );
}
