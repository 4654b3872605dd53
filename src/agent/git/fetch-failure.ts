import { PlumblineError } from "../../core/errors.js";
import { redactUrls } from "../../core/redact-urls.js";
import type { GitResult } from "../../engine/checkout/git.js";

const PROGRESS = /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Total|Writing|Auto packing)\b/;
const NEWS = /^(?:From | [*+t!=-] |\s+[0-9a-f]+\.\.)/;

/** Lines that git adds after the message of ssh or of the remote. */
const CHORUS =
  /^(?:fatal: Could not read from remote repository\.|Please make sure you have the correct access rights|and the repository exists\.)$/;

/** Next step for known messages of git, ssh and curl. */
const CAUSES: readonly (readonly [said: RegExp, next: string])[] = [
  [
    /Host key verification failed/i,
    "The server's key is not known to the agent's user: put it into ~/.ssh/known_hosts (`ssh-keyscan`, then compare it with the key of the server's owner).",
  ],
  [
    /Permission denied \(.*publickey/i,
    "The server takes no key of the agent's user: see `ssh -v` as that user, and the deploy keys of the repository.",
  ],
  [
    /server certificate|SSL certificate|SSL CA cert|setting certificate|CERTIFICATE_VERIFY|certificate verif|unable to get local issuer/i,
    "The server's certificate is not trusted: give the CA as `git config --global http.sslCAInfo FILE` of the agent's user, or in GIT_SSL_CAINFO.",
  ],
  [
    /Authentication failed|could not read (?:Username|Password)|returned error: 40[13]|HTTP Basic: Access denied/i,
    "The server takes no such login: see agent.source.username and password (or PLUMBLINE_GIT_PASSWORD), and whether the token has ended or may not read this repository. They are sent to no other server than the address names.",
  ],
  [/dubious ownership/i, "Let git trust it, as the agent's user: `git config --global --add safe.directory PATH`."],
  [/Could not resolve host/i, "See the name in agent.source.url, and the name server of this machine."],
  [
    /repository .* (?:not found|does not exist)|not appear to be a git repository|returned error: 404/i,
    "See agent.source.url, and whether this login may see the repository.",
  ],
];

/** @returns `source-ref-missing` if the repository answers without such a branch or tag, else `source-unreachable`. */
export function fetchFailure(url: string, ref: string, result: GitResult): PlumblineError {
  if (/couldn't find remote ref/i.test(result.stderr)) return missing(url, ref);
  const message = redactUrls(spoken(result));
  const next = CAUSES.find(([pattern]) => pattern.test(message))?.[1] ?? "See that git can fetch it as the agent's user.";
  return new PlumblineError("source-unreachable", `${url} cannot be fetched: ${message}`, {
    next: `${next} The active commit stays, and the agent retries.`,
  });
}

/** Returns the messages of git without its progress. */
export function spoken({ code, stderr }: GitResult): string {
  const rows = stderr.split(/[\r\n]+/).map((row) => row.trimEnd());
  const message = rows.filter((row) => row !== "" && !PROGRESS.test(row) && !NEWS.test(row));
  const telling = message.filter((row) => !CHORUS.test(row));
  return (telling.length > 0 ? telling : message).join("\n") || `git ended with ${code}`;
}

function missing(url: string, ref: string): PlumblineError {
  if (ref === "HEAD") {
    return new PlumblineError("source-ref-missing", `${url} has no HEAD: it is empty, or its default branch is gone.`, {
      next: "Push a commit, set HEAD of the repository to an existing branch, or set agent.source.branch. The active commit stays.",
    });
  }
  return new PlumblineError("source-ref-missing", `${url} has no ${ref}.`, {
    next: "Correct agent.source.branch or tag, or push it. The active commit stays.",
  });
}
