// A reconcile in a separate process that a test kills. Takes one JSON argument: the files of the run, and optionally `{ step, moment }` at
// which it prints "here" and waits. Runs the built program.
import { setTimeout as wait } from "node:timers/promises";
import { thisMachine } from "../../../dist/engine/pass/machine.js";
import { withoutFlags } from "../../../dist/engine/pass/options.js";
import { reconcileTargets } from "../../../dist/engine/reconcile.js";
import { systemDependencies } from "../../../dist/targets/panos/dependencies.js";
import { panosKind } from "../../../dist/targets/panos/kind.js";
import { openPanosReader } from "../../../dist/targets/panos/reader.js";
import { openPanosWriter } from "../../../dist/targets/panos/writer.js";

const { files, death } = JSON.parse(process.argv[2] ?? "{}");
const quiet = { debug: () => undefined, warn: () => undefined };
const clock = { now: () => performance.now(), sleep: (milliseconds) => wait(milliseconds / 100) };
const dependencies = { ...systemDependencies(quiet), clock };

let steps = 0;
const reach = async (moment) => {
  if (death?.step !== steps || death?.moment !== moment) return;
  process.stdout.write("here\n");
  await wait(3_600_000);
};
const observer = {
  before: () => reach("before"),
  after: async () => {
    await reach("after");
    steps += 1;
  },
};

const options = {
  ...withoutFlags,
  source: { configurationFile: files.configurationFile, kinds: new Map([["panos", panosKind]]), environment: { PW: "secret" } },
  stores: { stateFolder: files.stateFolder, ledger: files.ledger },
  machine: thisMachine,
};
const writers = {
  reader: (configuration) => openPanosReader(configuration, dependencies),
  writer: (configuration) => openPanosWriter(configuration, dependencies),
  guards: () => ({ management: () => undefined, meaning: () => undefined, neverPruned: () => false }),
};
const write = { takeover: false, lockTimeout: 0, sleep: wait, observer };
const [outcome] = await reconcileTargets(options, write, writers);
process.stdout.write(`${JSON.stringify({ steps, error: outcome?.error?.code, message: outcome?.error?.message })}\n`);
