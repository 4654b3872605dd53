import { join } from "node:path";
import type { TargetConfiguration } from "../../src/desired/configuration/configuration.js";
import { loadConfiguration } from "../../src/desired/load.js";
import { waitForRuns } from "../../src/engine/active-runs.js";
import { readCheckout } from "../../src/engine/checkout/checkout.js";
import { LeasePlace } from "../../src/engine/lease/lease-place.js";
import { UnchangedSince } from "../../src/engine/lease/unchanged-since.js";
import { openLedgerStore } from "../../src/engine/ledger/open-ledger.js";
import type { LedgerStore } from "../../src/engine/ledger/store.js";
import { NoticeBoard } from "../../src/engine/notices.js";
import type { WriteOptions } from "../../src/engine/pass/options.js";
import { driftTargets, planTargets, reconcileTargets } from "../../src/engine/reconcile.js";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { OUR_ADMIN } from "./documents.js";
import { atOnce, ROOT } from "./models/file-system.js";
import { repositoryAt } from "./models/git.js";
import type { Process } from "./scheduler.js";
import type { Machine } from "./script.js";
import { checkoutOf, type Ended, pull, type World } from "./world.js";

/** Maximum milliseconds that `plumbline pause` waits for running writes. */
const PATIENCE = 120_000;

export interface RunWishes {
  readonly isPulled: boolean;
  readonly takeover?: boolean;
}

/** Starts a one-shot run on a machine. Updates its checkout first if requested and possible. */
export function startRun(world: World, what: "reconcile" | "plan" | "drift", on: Machine, { isPulled, takeover = false }: RunWishes): void {
  world.spawn(what, on, async (process) => {
    const folder = checkoutOf(on);
    if (isPulled) await pull(folder);
    // Without a checkout there is no run.
    if (!atOnce.exists(join(folder, "plumbline.yaml"))) return;
    const began = world.scheduler.now;
    const commit = repositoryAt(folder)?.headCommit;
    const [outcome] = await PASSES[what](world, process, on, { takeover });
    if (outcome === undefined) throw new Error("no outcome");
    world.end({ ...endOf(outcome), process: process.name, what, began, commit });
  });
}

type Pass = (world: World, process: Process, on: Machine, write: Partial<WriteOptions>) => Promise<TargetOutcome[]>;

const PASSES: Readonly<Record<"reconcile" | "plan" | "drift", Pass>> = {
  reconcile: (world, process, on, write) =>
    reconcileTargets(world.passOptions(process, on), { ...world.writeOptions(), ...write }, world.writers),
  plan: (world, process, on) => planTargets(world.passOptions(process, on), world.writers),
  drift: (world, process, on) => driftTargets(world.passOptions(process, on), world.writers),
};

function endOf(outcome: TargetOutcome): Pick<Ended, "code" | "error" | "message" | "warnings"> {
  const { error, warnings, plan } = outcome;
  const refusals = plan?.refusals.map(({ guard }) => guard).join(" ") ?? "";
  const rows = outcome.firewalls?.rows.filter(({ state, handed }) => state !== "in sync" || handed?.state === "differs") ?? [];
  const behind = [...new Set(rows.map(({ serial }) => serial))].map((serial) => ` behind ${serial}`).join("");
  const message = `${error === undefined ? refusals : `${refusals} ${error.message}`}${behind}`;
  return { code: exitCode([outcome]), error: error?.code, message, warnings };
}

const SAID = { commit: undefined, error: undefined, warnings: [] };

/** `plumbline pause edge`: reports "paused" when no run writes. */
export function startPause(world: World, on: Machine): void {
  world.spawn("pause", on, async (process) => {
    const { scheduler } = world;
    const began = scheduler.now;
    const machine = world.machineOf(process, on);
    const place = await placeOf(world, on);
    const board = new NoticeBoard(place, OUR_ADMIN);
    await board.pause({ target: "edge", reason: "work", by: "ann", since: machine.now(), until: undefined });
    const left = await waitForRuns([await targetOf(world, process, on)], {
      connect: world.writers.reader,
      machine,
      leases: new LeasePlace(world.script.ledger === "store" ? world.memory.of(process).ledgers : place, OUR_ADMIN),
      seen: new UnchangedSince(join(ROOT, on, "state"), machine),
      sleep: (milliseconds) => scheduler.wait(milliseconds),
      wait: PATIENCE,
      report: () => undefined,
    });
    const looked = scheduler.now;
    const stands = (await board.pauses(machine.now())).length > 0;
    const isResumed = world.isRunning("resume") || world.ended.some(({ what, ended }) => what === "resume" && ended >= looked);
    if (left.length === 0 && stands && !isResumed) world.pauses.push({ from: scheduler.now, until: Number.POSITIVE_INFINITY });
    const message = left.map(({ runs, unknown }) => unknown ?? runs?.join(" ")).join("; ");
    world.end({ ...SAID, process: process.name, what: "pause", began, code: left.length === 0 ? (stands ? 0 : 3) : 4, message });
  });
}

/** `plumbline resume edge`, and *Resume* on the agent's page: an agent does not believe an unsigned resume of another machine. */
export function startResume(world: World, on: Machine): void {
  world.spawn("resume", on, async (process) => {
    const began = world.scheduler.now;
    const board = new NoticeBoard(await placeOf(world, on), OUR_ADMIN);
    for (const pause of world.pauses) pause.until = Math.min(pause.until, world.scheduler.now);
    await board.resume("edge");
    await world.memory.of(process).pauses.resume("edge", "ann", world.machineOf(process, on).now());
    world.end({ ...SAID, process: process.name, what: "resume", began, code: 0, message: "" });
  });
}

/** The place of notices. */
async function placeOf({ script }: World, on: Machine): Promise<LedgerStore> {
  const folder = checkoutOf(on);
  await pull(folder);
  const said = script.ledger === "git" ? undefined : "store";
  return openLedgerStore(said, await readCheckout(folder), join(ROOT, on, "state"));
}

/** The target of a pause. For a manager, the documents name its address and its push settings. */
async function targetOf(world: World, process: Process, on: Machine): Promise<TargetConfiguration> {
  if (world.manager === undefined) return TARGET;
  const {
    source: { configurationFile, environment, kinds },
  } = world.passOptions(process, on);
  const { targets } = await loadConfiguration(configurationFile, { environment, kinds, resolveSecrets: true });
  return targets.get("edge") ?? TARGET;
}

const TARGET: TargetConfiguration = {
  name: "edge",
  kind: "panos",
  mode: "enforce",
  credentials: undefined,
  tls: undefined,
} as unknown as TargetConfiguration;
