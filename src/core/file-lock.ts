import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, sleep } from "./clock.js";

const POLL = 10;
/** What is done under the lock takes milliseconds: one that stands for so long was left by a process that was killed. */
const LEFT_BEHIND = 10_000;
const STEADY: Clock = { now: () => performance.now(), sleep };

/**
 * Does `work` while no other process of any machine that has this folder does the same for `file`. The lock is a file beside it,
 * `<file>.held`, which only one can make; one that was left behind is taken away once it has stood for ten seconds.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>, clock = STEADY): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const lock = `${file}.held`;
  const ours = randomUUID();
  await take(lock, ours, clock);
  try {
    return await work();
  } finally {
    if ((await holderOf(lock)) === ours) await rm(lock, { force: true });
  }
}

async function take(lock: string, ours: string, clock: Clock): Promise<void> {
  let seen: { readonly holder: string; readonly since: number } | undefined;
  while (!(await made(lock, ours))) {
    const holder = await holderOf(lock);
    const now = clock.now();
    if (holder !== undefined && seen?.holder !== holder) seen = { holder, since: now };
    else if (holder !== undefined && seen !== undefined && now - seen.since > LEFT_BEHIND) await clear(lock, holder);
    await clock.sleep(POLL);
  }
}

/** Of all who wait, one takes away what was left behind: who makes the file that is called after it. */
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
