import type { Writers } from "../../src/engine/pass/options.js";
import { panosConnections } from "../../src/targets/panos/connections.js";
import { systemDependencies } from "../../src/targets/panos/dependencies.js";
import { panosGuards } from "../../src/targets/panos/guards.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import type { Recorder } from "./recorder.js";

const QUIET = { debug: () => undefined, warn: () => undefined };

/** Connections as a process has them that has just started: without an API key, and knowing no device. Waits for jobs are short. */
export function freshConnections({ dispatcher }: Recorder): Writers {
  const clock = {
    now: () => performance.now(),
    sleep: (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds / 20)),
  };
  return {
    ...panosConnections(QUIET, { ...systemDependencies(QUIET), clock, dispatcher }),
    guards: () => panosGuards,
    policies: () => panosKind.policies,
  };
}
