import { PlumblineError } from "../../core/errors.js";
import { redactUrls } from "../../core/redact-urls.js";
import type { SecretValue } from "../../core/secret.js";

/** How to reach a repository: nothing in it shows the password. */
export interface RepositoryAccess {
  /** As git takes it; never with a password. */
  readonly url: string;
  readonly username: string | undefined;
  readonly password: SecretValue | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const WITH_PASSWORD = /^[a-z+]+:\/\/[^/@\s]*:[^/@\s]*@/i;

/** @throws PlumblineError `source-password-in-url` */
export function refusePasswordIn(url: string): void {
  if (!WITH_PASSWORD.test(url)) return;
  throw new PlumblineError("source-password-in-url", `The address ${redactUrls(url)} has a password in it.`, {
    next: "Write the address without it; give the password as agent.source.password, a reference, or in PLUMBLINE_GIT_PASSWORD.",
    severity: "refused",
  });
}

/** Git asks this program for a login at the one address. What it answers stands in its environment. */
const HELPER = `!f() { test "$1" != get || printf 'username=%s\\npassword=%s\\n' "$PLUMBLINE_LOGIN_NAME" "$PLUMBLINE_LOGIN_WORD"; }; f`;

/**
 * What git needs in its environment to log in. The password travels there and not in the arguments, which every process
 * of the machine can read; traces are off, because they would print it; no helper of the user's is told of it, because it
 * might write it down; and it is for the origin of the address alone, also where a server there points to another.
 * @param sshCommand What git's own configuration says, if anything.
 * @throws PlumblineError `source-password-malformed`
 */
export function gitEnvironment({ url, username, password }: RepositoryAccess, environment: Environment, sshCommand?: string): Environment {
  const quiet = { GIT_TRACE: undefined, GIT_TRACE_CURL: undefined, GIT_CURL_VERBOSE: undefined, GIT_TRACE_PACKET: undefined };
  const hasSsh = [environment.GIT_SSH_COMMAND, environment.GIT_SSH, sshCommand].some((each) => each !== undefined && each !== "");
  const ssh = hasSsh ? {} : { GIT_SSH_COMMAND: "ssh -o BatchMode=yes -o ConnectTimeout=15" };
  const common = { ...quiet, ...ssh, GIT_ASKPASS: "true" };
  if (password === undefined || !/^https?:\/\//i.test(url)) return common;
  const { origin, username: inUrl } = new URL(url);
  // What writes secrets to variables and files often ends them with a line break, which is no part of them.
  const word = password.reveal().replace(/\r?\n$/, "");
  if (/[\n\r\0]/.test(word)) throw malformed(password.label);
  const helpers = [
    [`credential.${origin}.helper`, ""],
    [`credential.${origin}.helper`, HELPER],
  ] as const;
  return {
    ...common,
    ...withConfiguration(environment, helpers),
    PLUMBLINE_LOGIN_NAME: username ?? (decodeURIComponent(inUrl) || "plumbline"),
    PLUMBLINE_LOGIN_WORD: word,
  };
}

/** The variables that give git settings for one run, after those that are there already. */
export function withConfiguration(environment: Environment, settings: readonly (readonly [name: string, value: string])[]): Environment {
  const first = Number.parseInt(environment.GIT_CONFIG_COUNT ?? "0", 10) || 0;
  const rows = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${first + at}`, name],
    [`GIT_CONFIG_VALUE_${first + at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(first + settings.length), ...Object.fromEntries(rows) };
}

function malformed(label: string): PlumblineError {
  return new PlumblineError("source-password-malformed", `The password for the repository, ${label}, has a line break within it.`, {
    next: "Git cannot send that; see that the reference leads to the password or token and to nothing else.",
    severity: "refused",
  });
}
