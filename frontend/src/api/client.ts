import createClient from "openapi-fetch";
import { checkSession } from "../app/live";
import type { paths } from "./schema";

/** The typed client of `/api/`. The header marks requests of this page, which other pages cannot send. */
export const client = createClient<paths>({ baseUrl: "/", headers: { "X-Recollect": "1" } });

/** What the server refused, in its own words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** The whole answer: a conflict carries what is on disk now. */
    readonly body: unknown,
  ) {
    super(message);
  }
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of an answer; an answer that is an error is thrown as `ApiError`. */
export async function answer<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await reachable(request);
  if (response.ok) return data as T;
  if (response.status === 401) checkSession();
  throw new ApiError(response.status, errorText(error, response.status), error);
}

async function reachable<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") throw failure;
    throw new ApiError(0, "Recollect does not answer. Is `recollect web` still running?", null);
  }
}

function errorText(error: unknown, status: number): string {
  if (typeof error === "object" && error !== null && "error" in error && typeof error.error === "string") {
    return error.error;
  }
  return `The server answered with status ${status}.`;
}
