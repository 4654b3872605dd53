import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, sleep } from "./clock.js";

const POLL = 10;
/** Milliseconds after which a lock counts as left behind by a killed process. Work under the lock takes milliseconds. */
const LEFT_BEHIND = 10_000;
const STEADY: Clock = { now: () => performance.now(), sleep };

/**
 * Runs `work` while no other process on any machine with this folder does the same for `file`. The lock is the file `<file>.held`, which
 * only one process can create. A lock that was left behind is removed after ten seconds.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>, clock = STEADY): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const lock = `${file}.held`;
  const id = randomUUID();
  await take(lock, id, clock);
  try {
    return await work();
  } finally {
    if ((await holderOf(lock)) === id) await rm(lock, { force: true });
  }
}

async function take(lock: string, id: string, clock: Clock): Promise<void> {
  let seen: { readonly holder: string; readonly since: number } | undefined;
  while (!(await made(lock, id))) {
    const holder = await holderOf(lock);
    const now = clock.now();
    if (holder !== undefined && seen?.holder !== holder) seen = { holder, since: now };
    else if (holder !== undefined && seen !== undefined && now - seen.since > LEFT_BEHIND) await clear(lock, holder);
    await clock.sleep(POLL);
  }
}

/** Removes a lock that was left behind. Of all waiting processes, only the process that can create the marker file removes it. */
async function clear(lock: string, holder: string): Promise<void> {
  const cleared = `${lock}-${holder.replace(/[^0-9a-f-]/g, "")}`;
  if (!(await made(cleared, ""))) return;
  if ((await holderOf(lock)) === holder) await rm(lock, { force: true });
  await rm(cleared, { force: true });
}

async function made(file: string, text: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx");
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function holderOf(lock: string): Promise<string | undefined> {
  try {
    return await readFile(lock, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
