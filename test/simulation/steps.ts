import type { Operation } from "../../src/core/operation.js";
import { startAgent, startSecondAgent } from "./agent.js";
import { meddleIn } from "./cloud-meddle.js";
import { startPause, startResume, startRun } from "./commands.js";
import { byHand, OUR_ADMIN } from "./documents.js";
import type { Sender } from "./firewall.js";
import { atOnce, ROOT } from "./models/file-system.js";
import { operationsOf } from "./rules.js";
import type { Step } from "./script.js";
import type { World } from "./world.js";

/** Another administrator. */
export const ALICE: Sender = { admin: "alice", source: "alice", isLate: false };
const SUPERUSER: Sender = { admin: "root", source: "root", isLate: false };

type Of<What extends Step["do"]> = Step & { readonly do: What };

const STEPS: { readonly [What in Step["do"]]: (world: World, step: Of<What>) => void } = {
  push: (world, { entries, isProbed }) => world.push(entries, isProbed),
  "take-back": (world) => world.push(world.wantedBefore, false),
  reconcile: (world, { on, pull, takeover = false }) => startRun(world, "reconcile", on, { isPulled: pull, takeover }),
  plan: (world, { on, pull }) => startRun(world, "plan", on, { isPulled: pull }),
  drift: (world, { on, pull }) => startRun(world, "drift", on, { isPulled: pull }),
  pause: (world, { on }) => startPause(world, on),
  resume: (world, { on }) => startResume(world, on),
  meddle,
  "meddle-with-rules": (world, { change }) => {
    const { script, firewall } = world;
    if (script.rules !== undefined) writeAsAlice(world, operationsOf(change, firewall.configurations.candidate, script.rules), 0);
  },
  "start-second-agent": (world) => {
    world.release();
    startSecondAgent(world);
  },
  "move-target": (world, step) => {
    world.moves.push({ from: world.scheduler.now, until: world.scheduler.now + step.for });
  },
  "restart-device": ({ firewall }, { away }) => firewall.restart(away),
  "restart-at-commit": ({ firewall }) => {
    firewall.atNextCommit.set(OUR_ADMIN, () => firewall.restart(0));
  },
  "meddle-after-commit": (world, step) => {
    world.firewall.onceCommitted(OUR_ADMIN, () => meddle(world, { ...step, do: "meddle", commitAfter: 0 }));
  },
  "meddle-at-lock": (world, { name, value }) => {
    world.firewall.beforeNextLock.set(OUR_ADMIN, () => {
      meddle(world, { at: 0, do: "meddle", name, value, commitAfter: undefined });
      world.firewall.commitNow(ALICE, "by hand");
    });
  },
  "meddle-at-write": (world, { name, value }) => {
    world.firewall.afterNextWrite.set(OUR_ADMIN, () => meddle(world, { at: 0, do: "meddle", name, value, commitAfter: undefined }));
  },
  "lose-commit": ({ wire }, { what, jobs }) => {
    wire.arm("commit", { kind: what }, () => {
      for (let lost = 0; lost < jobs; lost++) wire.arm("jobs", { kind: "error" });
    });
  },
  "stall-at-write": (world, step) => world.stallAtWrite(step.on, step.for),
  "fail-probe-after-commit": (world, step) => {
    world.firewall.onceCommitted(OUR_ADMIN, () => {
      world.probeAwayUntil = world.scheduler.now + step.for;
    });
  },
  "leave-out": ({ cloud, scheduler }, step) => {
    cloud?.leftOut.push({ list: step.list, name: step.name, until: scheduler.now + step.for });
  },
  "kill-at-server": (world, step) => {
    const { cloud, scheduler } = world;
    if (cloud === undefined) return;
    cloud.afterNextServer = (source) => {
      world.killProcess(source);
      cloud.leftOut.push({ list: "servers", name: undefined, until: scheduler.now + step.for });
    };
  },
  "meddle-in-cloud": ({ cloud }, { name, value }) => {
    if (cloud !== undefined) meddleIn(cloud, name, value);
  },
  manager: ({ manager }, { what }) => manager?.take(what),
  "break-lock": ({ firewall }) => {
    if (firewall.lockMark !== undefined) firewall.breakLock(SUPERUSER, firewall.lockMark);
  },
  "fail-commit": ({ firewall }) => {
    firewall.failNextCommit = true;
  },
  "lose-state": (world) => {
    world.killAgent();
    atOnce.remove(`${ROOT}/agent`);
    world.memory.empty();
  },
  kill: (world, { what }) => (what === "agent" ? world.killAgent() : world.killRuns()),
  "start-agent": (world) => startAgent(world),
  "back-up-ledger": (world) => world.backUpLedger(),
  "restore-ledger": (world) => world.restoreLedger(),
  wire: (world, { request, fault }) => world.wire.arm(request, fault),
  "git-away": (world, step) => {
    world.gitAway.push({ from: world.scheduler.now, until: world.scheduler.now + step.for });
  },
  "probe-away": (world, step) => {
    world.probeAwayUntil = world.scheduler.now + step.for;
  },
};

export function take<What extends Step["do"]>(world: World, step: Of<What>): void {
  const { at: _, ...told } = step;
  world.note(`step ${JSON.stringify(told)}`);
  const work = STEPS[step.do] as (world: World, step: Of<What>) => void;
  work(world, step);
}

function meddle(world: World, { name, value, commitAfter }: Of<"meddle">): void {
  writeAsAlice(world, [byHand(name, value)], commitAfter);
}

/** Writes as another administrator, and commits after some time. A write that the device refuses changes nothing. */
function writeAsAlice(world: World, operations: readonly Operation[], commitAfter: number | undefined): void {
  const { firewall, scheduler } = world;
  if (firewall.isDown || operations.length === 0) return;
  try {
    firewall.write(ALICE, operations);
  } catch (error) {
    world.note(`alice: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  if (commitAfter === undefined) return;
  scheduler.in(commitAfter, () => {
    if (!firewall.isDown) firewall.commit(ALICE, "by hand");
  });
}
