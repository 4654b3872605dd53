import { PlumblineError } from "../../errors.js";
import type { SecretValue } from "../../secret.js";

/** How to reach a repository: nothing in it shows the password. */
export interface RepositoryAccess {
  /** As git takes it; never with a password. */
  readonly url: string;
  readonly username: string | undefined;
  readonly password: SecretValue | undefined;
}

const WITH_PASSWORD = /^[a-z+]+:\/\/[^/@\s]*:[^/@\s]*@/i;

/** @throws PlumblineError `source-password-in-url` */
export function refusePasswordIn(url: string): void {
  if (!WITH_PASSWORD.test(url)) return;
  throw new PlumblineError("source-password-in-url", `The address ${withoutCredentials(url)} has a password in it.`, {
    next: "Write the address without it; give the password as agent.source.password, a reference, or in PLUMBLINE_GIT_PASSWORD.",
    severity: "refused",
  });
}

/** Takes what stands before `@` out of every address in a text: git repeats addresses in its messages. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z+]+:\/\/)[^/@\s]+@/gi, "$1");
}

/**
 * What git needs in its environment to log in. The password travels there and not in the arguments, which every process
 * of the machine can read; and traces are off, because they would print it.
 */
export function gitEnvironment(
  { url, username, password }: RepositoryAccess,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const quiet = { GIT_TRACE: undefined, GIT_TRACE_CURL: undefined, GIT_CURL_VERBOSE: undefined, GIT_TRACE_PACKET: undefined };
  const ssh = environment.GIT_SSH_COMMAND ?? "ssh -o BatchMode=yes -o ConnectTimeout=15";
  const common = { ...quiet, GIT_SSH_COMMAND: ssh, GIT_ASKPASS: "true" };
  if (password === undefined || !/^https?:\/\//i.test(url)) return common;
  const basic = Buffer.from(`${username ?? "plumbline"}:${password.reveal()}`, "utf8").toString("base64");
  return {
    ...common,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
}
