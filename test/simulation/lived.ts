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
  /** SHA-256 of the journal of the last history. */
  readonly last: string;
}

export interface Broken {
  readonly seed: number;
  readonly violations: readonly Violation[];
}

/** What the runs write to. */
export type SimulatedWorld = "firewall" | "cloud" | "manager";

const { PLUMBLINE_SIMULATION_WORLD: said } = process.env;

/** `PLUMBLINE_SIMULATION_WORLD=cloud`: a project of a cloud; `=manager`: a manager with its firewalls; a firewall where nothing is said. */
export const saidWorld: SimulatedWorld = said === "cloud" || said === "manager" ? said : "firewall";

/** `PLUMBLINE_SIMULATION_FAULTS=more`: histories in which more goes wrong; their seeds are others. */
const hasMoreFaults = process.env.PLUMBLINE_SIMULATION_FAULTS === "more";

/** Lives the histories of `count` seeds in a process of their own. */
export async function lived(
  bundle: string,
  first: number,
  count: number,
  world: SimulatedWorld = "firewall",
): Promise<{ readonly broken: readonly Broken[]; readonly sums: Sums }> {
  const lines = (await output(bundle, world, String(first), String(count))).trimEnd().split("\n");
  const sums = JSON.parse(lines.pop() ?? "") as Sums;
  return { broken: lines.map((line) => JSON.parse(line) as Broken), sums };
}

/** The journal of one seed, as short as it still shows what is broken. */
export async function told(bundle: string, seed: number, world: SimulatedWorld = "firewall"): Promise<string> {
  return await output(bundle, world, String(seed));
}

async function output(bundle: string, world: SimulatedWorld, ...words: string[]): Promise<string> {
  const said = [...(world === "firewall" ? [] : [world]), ...(hasMoreFaults ? ["more-faults"] : []), ...words];
  const { stdout } = await run(process.execPath, ["--enable-source-maps", bundle, ...said], { maxBuffer: 1e8 });
  return stdout;
}

/** What whoever meets a broken history needs: seed, journal, and the command that shows it again. */
export async function explained(bundle: string, { seed }: Broken, world: SimulatedWorld = "firewall"): Promise<string> {
  const again = `PLUMBLINE_SIMULATION_WORLD=${world} ${hasMoreFaults ? "PLUMBLINE_SIMULATION_FAULTS=more " : ""}PLUMBLINE_SIMULATION_SEED=${seed} npx vitest run test/simulation/replay.test.ts`;
  return `seed ${seed}\n${await told(bundle, seed, world)}\nagain: ${again}`;
}
