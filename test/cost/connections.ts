import type { Clock } from "../../src/core/clock.js";
import type { Writers } from "../../src/engine/pass/options.js";
import { panosConnections } from "../../src/targets/panos/connections.js";
import { systemDependencies } from "../../src/targets/panos/dependencies.js";
import { panosGuards } from "../../src/targets/panos/guards.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import type { Recorder } from "./recorder.js";

const QUIET = { debug: () => undefined, warn: () => undefined };

const HASTY: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise<void>((done) => setTimeout(done, milliseconds / 20)),
};

/** Connections as a process has them that has just started: without an API key, and knowing no device. Waits for jobs are short. */
export function freshConnections({ dispatcher }: Recorder, clock = HASTY): Writers {
  return {
    ...panosConnections(QUIET, { ...systemDependencies(QUIET), clock, dispatcher }),
    guards: () => panosGuards,
    policies: () => panosKind.policies,
  };
}
