import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

/** How a process is run in a root file system. */
export interface Way {
  readonly cwd?: string;
  /** The complete environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** User and group by number, without capabilities. Default: root. */
  readonly user?: number;
  /** Only /tmp and the mounted folders are writable. */
  readonly isReadOnly?: boolean;
  /** Folders of this machine by their places inside. */
  readonly mounts?: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const NAMESPACES = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Path of this machine's certificates inside, so that a registry behind a proxy is trusted during a build. */
const TRUSTED = "/etc/ssl/certs/ca-certificates.crt";

function wordsOf(root: string, words: readonly string[], { cwd = "/", env = {}, user, isReadOnly = false, mounts = {} }: Way): string[] {
  const binds = Object.entries(mounts).map(
    ([inside, outside]) => `mkdir -p '${root}${inside}' && mount --bind '${outside}' '${root}${inside}'`,
  );
  const script = [
    "set -e",
    `mount --bind '${root}' '${root}'`,
    ...binds,
    ...(isReadOnly ? [`mount -o remount,bind,ro '${root}'`, `mount -t tmpfs tmpfs '${root}/tmp'`] : []),
    `mount -t tmpfs tmpfs '${root}/run'`,
    `mount --rbind /dev '${root}/dev'`,
    `mount -t proc proc '${root}/proc'`,
    `cp -L /etc/resolv.conf '${root}/run/resolv.conf'`,
    `if [ -f ${TRUSTED} ]; then cp ${TRUSTED} '${root}/run/trusted.crt'; fi`,
    `if [ -e '${root}/etc/resolv.conf' ]; then mount --bind '${root}/run/resolv.conf' '${root}/etc/resolv.conf'; fi`,
    `exec chroot '${root}' "$@"`,
  ];
  const less =
    user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--no-new-privs", "--bounding-set=-all"];
  const pairs = Object.entries({ PATH, ...env }).map(([name, value]) => `${name}=${value}`);
  const inside = ["env", "-i", ...pairs, "sh", "-c", 'cd "$0" && exec "$@"', cwd, ...words];
  return [...NAMESPACES, "sh", "-c", script.join("\n"), "sh", ...less, ...inside];
}

/** Runs a program in a root file system with separate namespaces. Returns its output. Throws if its exit status is not 0. */
export async function inRoot(root: string, words: readonly string[], way: Way = {}): Promise<string> {
  return (await run("unshare", wordsOf(root, words, way), { maxBuffer: 1e8 })).stdout;
}

/** The same, left running. */
export function startedInRoot(root: string, words: readonly string[], way: Way): ChildProcess {
  return spawn("unshare", wordsOf(root, words, way), { stdio: ["ignore", "pipe", "pipe"] });
}

/** For steps that ask a registry while an image is built. */
export const WHILE_BUILDING: Readonly<Record<string, string>> = existsSync(TRUSTED) ? { NODE_EXTRA_CA_CERTS: "/run/trusted.crt" } : {};
