import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Violation } from "./checker.js";

const run = promisify(execFile);

export interface Sums {
  /** Seed of the first history. */
  readonly first: number;
  readonly histories: number;
  /** Things that happened, commits of ours on devices, passes and commands of ours that ended. */
  readonly happened: number;
  readonly commits: number;
  readonly passes: number;
  /** Histories in which something is broken; after the fifth no more are lived. */
  readonly broken: number;
}

export interface Broken {
  readonly seed: number;
  readonly violations: readonly Violation[];
}

/** Lives the histories of `count` seeds in a process of their own. */
export async function lived(
  bundle: string,
  first: number,
  count: number,
): Promise<{ readonly broken: readonly Broken[]; readonly sums: Sums }> {
  const lines = (await output(bundle, String(first), String(count))).trimEnd().split("\n");
  const sums = JSON.parse(lines.pop() ?? "") as Sums;
  return { broken: lines.map((line) => JSON.parse(line) as Broken), sums };
}

/** The journal of one seed, as short as it still shows what is broken. */
export async function told(bundle: string, seed: number): Promise<string> {
  return await output(bundle, String(seed));
}

async function output(bundle: string, ...words: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ["--enable-source-maps", bundle, ...words], { maxBuffer: 1e8 });
  return stdout;
}

/** What whoever meets a broken history needs: seed, journal, and the command that shows it again. */
export async function explained(bundle: string, { seed }: Broken): Promise<string> {
  const again = `PLUMBLINE_SIMULATION_SEED=${seed} npx vitest run test/simulation/replay.test.ts`;
  return `seed ${seed}\n${await told(bundle, seed)}\nagain: ${again}`;
}
