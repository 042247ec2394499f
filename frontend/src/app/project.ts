import { effect, signal } from "@preact/signals";
import { answer, client } from "../api/client";
import type { components } from "../api/schema";
import { connection } from "./live";

export type Project = components["schemas"]["ProjectOutput"];

/** The project that is shown; null until it is read. `approval_refusal` says why nothing can be approved here. */
export const project = signal<Project | null>(null);

/** The name of the project's folder, as people call it. */
export function projectName(shown: Project): string {
  return shown.folder.split("/").at(-1) || shown.name;
}

/** What somebody may be allowed to do, by the names that the API uses. */
export type Permission =
  | "memories.write"
  | "review.decide"
  | "runs.control"
  | "tools.call"
  | "tools.accept"
  | "calls.approve";

/** Whether whoever looks at the page may do something; not before the project is read. */
export function may(permission: Permission): boolean {
  return project.value?.may.includes(permission) ?? false;
}

/** Read the project at once, and again after each reconnection: another process may serve another one. */
export function startProject(): void {
  effect(() => {
    if (connection.value !== "live" && project.peek() !== null) return;
    answer(client.GET("/api/project")).then(
      (read) => {
        project.value = read;
      },
      () => undefined, // the notice about the connection says what is wrong
    );
  });
}
