import { PlumblineError } from "../core/errors.js";
import { readJson } from "../core/json/read-json.js";
import { expectEncrypted } from "../core/plaintext-http.js";
import { readRegularFileSync } from "../core/regular-file.js";
import { SecretValue } from "../core/secret.js";
import { HOST_KINDS, type HostKind } from "./host-kinds.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags override `PLUMBLINE_*` variables, which override the variables of the CI system. */
export interface HostFlags {
  readonly host?: string;
  /** `owner/name`. GitLab also accepts a number or `group/subgroup/name`. */
  readonly repo?: string;
  readonly pr?: string;
  /** Base URL of the API, for example `https://git.example.net/api/v4`. */
  readonly api?: string;
  /** Allows sending the token unencrypted. */
  readonly plaintext?: boolean;
}

export interface HostSettings {
  readonly kind: HostKind;
  /** Without a trailing slash. */
  readonly api: string;
  readonly repository: string;
  readonly token: SecretValue;
}

const PUBLIC_API: Readonly<Record<HostKind, string | undefined>> = {
  github: "https://api.github.com",
  gitlab: "https://gitlab.com/api/v4",
  gitea: undefined,
};
const TOKENS: Readonly<Record<HostKind, readonly string[]>> = {
  github: ["PLUMBLINE_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"],
  gitlab: ["PLUMBLINE_TOKEN", "GITLAB_TOKEN"],
  gitea: ["PLUMBLINE_TOKEN", "GITEA_TOKEN", "GITHUB_TOKEN"],
};

/**
 * Returns the code host of this run. Reads flags, then `PLUMBLINE_HOST`, `PLUMBLINE_API_URL`, `PLUMBLINE_REPOSITORY` and
 * `PLUMBLINE_TOKEN`, then the variables of GitHub Actions, GitLab CI and Gitea Actions. Throws `code-host-unknown`,
 * `address-in-the-clear`, `code-host-url`, `repository-unknown`, `code-host-token-missing`.
 */
export function hostSettings(flags: HostFlags, environment: Environment): HostSettings {
  const kind = kindOf(flags, environment);
  const api = apiOf(kind, flags, environment);
  const isAllowed = flags.plaintext === true || environment.PLUMBLINE_API_PLAINTEXT === "true";
  expectEncrypted(api, { isAllowed: isAllowed, word: "--plaintext, PLUMBLINE_API_PLAINTEXT=true, or plaintext: true at the channel" });
  return {
    kind,
    api,
    repository: repositoryOf(kind, flags, environment),
    token: tokenOf(kind, environment),
  };
}

/** Returns the number of the pull request of this run. Throws `pull-request-unknown`. */
export function pullRequestNumber(kind: HostKind, flags: HostFlags, environment: Environment): string {
  const given = first(flags.pr, environment.PLUMBLINE_PULL_REQUEST, kind === "gitlab" ? environment.CI_MERGE_REQUEST_IID : undefined);
  const number =
    given ?? (kind === "gitlab" ? undefined : (numberInRef(environment.GITHUB_REF) ?? numberInEvent(environment.GITHUB_EVENT_PATH)));
  if (number !== undefined && /^[1-9]\d{0,9}$/.test(number)) return number;
  throw new PlumblineError(
    "pull-request-unknown",
    number === undefined ? "No pull request is named." : `"${number}" is no number of a pull request.`,
    {
      next: "Give --pr N or PLUMBLINE_PULL_REQUEST; in CI, run the job for pull requests.",
    },
  );
}

function kindOf(flags: HostFlags, environment: Environment): HostKind {
  const kind = first(flags.host, environment.PLUMBLINE_HOST);
  const found = HOST_KINDS.find((host) => host === kind);
  if (found !== undefined) return found;
  if (kind === undefined) {
    // Gitea and Forgejo also set the variables of GitHub.
    if (environment.GITEA_ACTIONS === "true" || environment.FORGEJO_ACTIONS === "true") return "gitea";
    if (environment.GITHUB_ACTIONS === "true") return "github";
    if (environment.GITLAB_CI === "true") return "gitlab";
  }
  throw new PlumblineError(
    "code-host-unknown",
    kind === undefined ? "No code host is configured, and no known CI system provides one." : `"${kind}" is not a supported code host.`,
    {
      next: `Give --host or PLUMBLINE_HOST: ${HOST_KINDS.join(", ")}.`,
    },
  );
}

function apiOf(kind: HostKind, flags: HostFlags, environment: Environment): string {
  const inCi = kind === "gitlab" ? environment.CI_API_V4_URL : environment.GITHUB_API_URL;
  const text = first(flags.api, environment.PLUMBLINE_API_URL, inCi, PUBLIC_API[kind]);
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.search === "")
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  throw new PlumblineError(
    "code-host-url",
    `The address of the ${kind} API is ${text === undefined ? "not known" : "not of the form https://host/path"}.`,
    {
      next: "Give --api or PLUMBLINE_API_URL, for example https://git.example.net/api/v1 (Gitea) or …/api/v4 (GitLab); the token has a variable of its own.",
    },
  );
}

function repositoryOf(kind: HostKind, flags: HostFlags, environment: Environment): string {
  const inCi = kind === "gitlab" ? (environment.CI_PROJECT_ID ?? environment.CI_PROJECT_PATH) : environment.GITHUB_REPOSITORY;
  const repository = first(flags.repo, environment.PLUMBLINE_REPOSITORY, inCi);
  const form = kind === "gitlab" ? /^(?:\d+|[\w.-]+(?:\/[\w.-]+)+)$/ : /^[\w.-]+\/[\w.-]+$/;
  if (repository !== undefined && form.test(repository) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(repository)) return repository;
  throw new PlumblineError(
    "repository-unknown",
    repository === undefined ? "No repository is named." : `"${repository}" is not a repository name.`,
    {
      next: "Give --repo OWNER/NAME or PLUMBLINE_REPOSITORY.",
    },
  );
}

function tokenOf(kind: HostKind, environment: Environment): SecretValue {
  for (const name of TOKENS[kind]) {
    const value = environment[name]?.trim() ?? "";
    if (value !== "") return new SecretValue(value, `\${env:${name}}`);
  }
  throw new PlumblineError("code-host-token-missing", `There is no token for ${kind}.`, {
    next: `Set ${TOKENS[kind].join(" or ")}. docs/pull-requests.md lists its permissions.`,
  });
}

function first(...values: (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== "");
}

function numberInRef(ref: string | undefined): string | undefined {
  return /^refs\/pull\/(\d+)\//.exec(ref ?? "")?.[1];
}

/** Maximum size of the event file in bytes. GitHub sends at most 25 MB. */
const MOST_EVENT_BYTES = 32 * 1024 * 1024;

/** Returns `pull_request.number` of the event file of a GitHub or Gitea job. Undefined if it cannot be read. */
function numberInEvent(path: string | undefined): string | undefined {
  if (path === undefined || path === "") return undefined;
  try {
    const event = readJson(readRegularFileSync(path, MOST_EVENT_BYTES).toString("utf8")) as { pull_request?: { number?: unknown } };
    const number = event.pull_request?.number;
    return typeof number === "number" ? String(number) : undefined;
  } catch {
    return undefined;
  }
}
