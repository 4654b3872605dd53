import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";

const PROGRAM = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/sbin/sshd"].find((file) => existsSync(file));

/** Returns the reason why sshd cannot run here, or undefined if it can. */
export const withoutSshd =
  PROGRAM === undefined ? "no sshd here, see test/agent/git/install-sshd" : userInfo().shell?.endsWith("nologin") ? "no shell" : undefined;

export interface Sshd {
  /** As git takes it, before a path. */
  readonly url: string;
  /** The key of a user who may log in. */
  readonly key: string;
  /** Lines for known_hosts. */
  readonly hostKey: string;
  close(): Promise<void>;
}

/** A real sshd with keys and settings of its own in `folder`, for the user that runs the tests. */
export async function startSshd(folder: string): Promise<Sshd> {
  const file = (name: string) => join(folder, name);
  mkdirSync(folder, { recursive: true });
  for (const name of ["host", "ann"]) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file(name)]);
  writeFileSync(file("authorized_keys"), readFileSync(file("ann.pub")));
  chmodSync(file("authorized_keys"), 0o600);
  // Required if root runs it.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const port = await freePort();
  const settings = [
    "ListenAddress 127.0.0.1",
    `Port ${port}`,
    `HostKey ${file("host")}`,
    `AuthorizedKeysFile ${file("authorized_keys")}`,
    `PidFile ${file("pid")}`,
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin prohibit-password",
    "AcceptEnv GIT_PROTOCOL",
  ];
  writeFileSync(file("sshd_config"), `${settings.join("\n")}\n`);
  const child = spawn(PROGRAM ?? "sshd", ["-D", "-e", "-f", file("sshd_config")], { stdio: ["ignore", "ignore", "pipe"] });
  await listening(child);
  return {
    url: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    key: file("ann"),
    hostKey: `[127.0.0.1]:${port} ${readFileSync(file("host.pub"), "utf8")}`,
    close: async () => {
      if (child.exitCode !== null) return;
      const gone = new Promise((ended) => child.once("exit", ended));
      child.kill("SIGTERM");
      await gone;
    },
  };
}

async function listening(child: ChildProcess): Promise<void> {
  let said = "";
  await new Promise<void>((ready, failed) => {
    child.once("exit", (code) => failed(new Error(`sshd ended with ${code}: ${said}`)));
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("Server listening")) ready();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
