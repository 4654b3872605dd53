import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** The folder of a run is called this, the number of its process, and something drawn. */
const NAME = "plumbline-tests-";
/** Bytes: far more than tests that run at once have there, images of containers among them. */
const ENOUGH = 2 ** 32;

/**
 * Has the folders that tests make lie in memory, and removes those that they leave: a database alone takes seconds of a
 * processor to make on a disk. On the disk they lie where there is no such memory, too little of it, or no program may be
 * started from it, and where `TMPDIR` says another place.
 */
export default function foldersInMemory(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !isFit()) return undefined;
  removeLeft();
  const folder = mkdtempSync(join(MEMORY, `${NAME}${process.pid}-`));
  // A server of PostgreSQL is another user where the tests run as root.
  chmodSync(folder, 0o711);
  // Workers begin later, with this environment.
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function isFit(): boolean {
  if (process.platform !== "linux") return false;
  const options = new RegExp(`^\\S+ ${MEMORY} tmpfs (\\S+)`, "m").exec(readFileSync("/proc/mounts", "utf8"))?.[1]?.split(",");
  if (options === undefined || options.includes("ro") || options.includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH;
}

/** What runs left that were killed: they would have the memory until the machine starts anew. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY)) {
    const [, owner] = new RegExp(`^${NAME}(\\d+)-`).exec(name) ?? [];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}
