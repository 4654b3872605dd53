import { PlumblineError } from "../../core/errors.js";
import { redactUrls } from "../../core/redact-urls.js";
import type { SecretValue } from "../../core/secret.js";

/** Address and login of a repository. The password never prints. */
export interface RepositoryAccess {
  /** URL for git. It never contains a password. */
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

/** Credential helper. It returns the login from its environment. */
const HELPER = `!f() { test "$1" != get || printf 'username=%s\\npassword=%s\\n' "$PLUMBLINE_LOGIN_NAME" "$PLUMBLINE_LOGIN_WORD"; }; f`;

/**
 * Returns the environment with which git logs in. The password is in the environment, because every process of the machine can read
 * arguments. Traces are off, because they would print the password. Other credential helpers are off, because they might store it. The
 * password is limited to the origin of the address and is not sent after a redirect to another server.
 * @param sshCommand `core.sshCommand` of the git configuration, if set.
 * @throws PlumblineError `source-password-malformed`
 */
export function gitEnvironment({ url, username, password }: RepositoryAccess, environment: Environment, sshCommand?: string): Environment {
  const quiet = { GIT_TRACE: undefined, GIT_TRACE_CURL: undefined, GIT_CURL_VERBOSE: undefined, GIT_TRACE_PACKET: undefined };
  const hasSsh = [environment.GIT_SSH_COMMAND, environment.GIT_SSH, sshCommand].some((each) => each !== undefined && each !== "");
  const ssh = hasSsh ? {} : { GIT_SSH_COMMAND: "ssh -o BatchMode=yes -o ConnectTimeout=15" };
  const common = { ...quiet, ...ssh, GIT_ASKPASS: "true" };
  if (password === undefined || !/^https?:\/\//i.test(url)) return common;
  const { origin, username: inUrl } = new URL(url);
  // Tools that write secrets to variables and files often add a line break.
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

/** Returns variables that set git configuration for one call. They are added after the existing ones. */
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
    next: "Git cannot send it. The reference must resolve to the password or token only.",
    severity: "refused",
  });
}
