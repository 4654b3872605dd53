import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Violation } from "./checker.js";

const run = promisify(execFile);

export interface Sums {
  /** Seed of the first history. */
  readonly first: number;
  readonly histories: number;
  /** Numbers of events, of Plumbline's commits on devices, and of Plumbline's passes and commands that ended. */
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

/** The targets of the runs. */
export type SimulatedWorld = "firewall" | "cloud" | "manager";

const { PLUMBLINE_SIMULATION_WORLD: said } = process.env;

/** `PLUMBLINE_SIMULATION_WORLD=cloud`: a project of a cloud; `=manager`: a manager with its firewalls; by default a firewall. */
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

/** The shortest journal of a seed that still shows the violation. */
export async function told(bundle: string, seed: number, world: SimulatedWorld = "firewall"): Promise<string> {
  return await output(bundle, world, String(seed));
}

async function output(bundle: string, world: SimulatedWorld, ...words: string[]): Promise<string> {
  const said = [...(world === "firewall" ? [] : [world]), ...(hasMoreFaults ? ["more-faults"] : []), ...words];
  const { stdout } = await run(process.execPath, ["--enable-source-maps", bundle, ...said], { maxBuffer: 1e8 });
  return stdout;
}

/** The report of a violation: seed, journal, and the command that repeats it. */
export async function explained(bundle: string, { seed }: Broken, world: SimulatedWorld = "firewall"): Promise<string> {
  const again = `PLUMBLINE_SIMULATION_WORLD=${world} ${hasMoreFaults ? "PLUMBLINE_SIMULATION_FAULTS=more " : ""}PLUMBLINE_SIMULATION_SEED=${seed} npx vitest run test/simulation/replay.test.ts`;
  return `seed ${seed}\n${await told(bundle, seed, world)}\nagain: ${again}`;
}
