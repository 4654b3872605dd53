import { PlumblineError } from "../core/errors.js";
import { readJson } from "../core/json/read-json.js";
import { printable } from "../core/printable.js";
import type { HttpReply } from "../http/message.js";
import { isRateLimit } from "./rate-limit.js";

const WORDS = 300;

/** Returns true for a failure that may be temporary. It is unknown whether the host carried out the request. */
export function passing(error: unknown): boolean {
  return error instanceof PlumblineError && error.code === "code-host-unavailable";
}

/** Returns the error for a missing reply. */
export function unavailable(host: string, origin: string, cause: unknown): PlumblineError {
  const code = (cause as { code?: unknown }).code ?? (cause as Error).name;
  return new PlumblineError("code-host-unavailable", `${host} at ${origin} does not answer (${String(code)}).`, {
    next: "Check the network and the address (--api, PLUMBLINE_API_URL), then run again.",
  });
}

/** Returns the error for a reply that violates the API. */
export function unreadableReply(host: string, why: string): PlumblineError {
  return new PlumblineError("code-host-reply", `The reply of ${host} cannot be used: ${why}.`, {
    next: "Check that --api or PLUMBLINE_API_URL leads to the API and not to the web pages.",
  });
}

/** Returns the error for a failure status. `clean` removes the token from the host's message. */
export function refusedReply(host: string, what: string, reply: HttpReply, clean: (words: string) => string): PlumblineError {
  const message = clean(wordsOf(reply.body));
  const words = `${host} answered ${what} with ${reply.status}${message === "" ? "" : `: ${message}`}`;
  if (isRateLimit(reply))
    return new PlumblineError("code-host-rate-limited", words, { next: "Run again later. The host limits the number of requests." });
  switch (reply.status) {
    case 401:
      return new PlumblineError("code-host-token-refused", words, {
        next: "Use a valid token. docs/pull-requests.md names its variable.",
      });
    case 403:
      return new PlumblineError("code-host-forbidden", words, {
        next: "Give the token write permission for pull requests (and contents, for drift --propose). Jobs of a fork's pull request have none: see docs/pull-requests.md.",
      });
    case 404:
      return new PlumblineError("code-host-not-found", words, {
        next: "Check --repo and --pr. Many hosts also answer 404 if the token lacks permission.",
      });
    default:
      if (reply.status >= 500)
        return new PlumblineError("code-host-unavailable", words, { next: "Run again later; the host itself is in trouble." });
      return new PlumblineError("code-host-refused", words, {
        next: "Read the host's message. docs/pull-requests.md describes the requirements.",
      });
  }
}

/** GitHub sends `message` and `errors`, GitLab `message` or `error`, Gitea `message`. */
function wordsOf(body: Buffer): string {
  try {
    const reply = readJson(body.toString("utf8")) as { message?: unknown; error?: unknown; errors?: unknown };
    const parts = [reply.message, reply.error, reply.errors].filter((part) => part !== undefined && part !== null);
    return printable(parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" ")).slice(0, WORDS);
  } catch {
    return "";
  }
}
