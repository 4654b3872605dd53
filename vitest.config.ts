import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import ProgramsFirst from "./test/order.js";
import { SOAK_SEED, soak } from "./test/seed.js";

if (soak) console.info(`PLUMBLINE_SEED=${SOAK_SEED} draws the cases of this soak again.`);

/** Suites that have configurations and commands of their own. */
const ELSEWHERE = ["test/openstack/**", "test/scale/**", "test/web/browser/**", ...(soak ? [] : ["test/soak/**"])];
/** What kills processes or disturbs a run at each of its steps, and what takes as long as that: `npm run test:faults`. */
const FAULTS = "test/**/*.{faults,long}.test.ts";

const shared = {
  setupFiles: ["test/setup.ts"],
  testTimeout: soak ? 3_600_000 : 60_000,
  hookTimeout: 60_000,
  // A worker keeps its modules from file to file: to load them anew for each file took longer than its tests.
  isolate: false,
  // Much is made and soon forgotten: with more room for what is new it is collected less often.
  execArgv: ["--min-semi-space-size=16", "--max-semi-space-size=64"],
  // A file that has not changed is not compiled anew in each run.
  experimental: { fsModuleCache: true },
};

export default defineConfig({
  test: {
    // Vitest leaves a core to itself, and uses none of it. Tests wait for disks, programs and clocks of servers: more of them than cores.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    reporters: ["default", "./test/counts.ts"],
    globalSetup: "test/build.ts",
    sequence: { sequencer: ProgramsFirst },
    projects: [
      { test: { ...shared, name: "tests", include: ["test/**/*.test.ts"], exclude: [...ELSEWHERE, FAULTS] } },
      { test: { ...shared, name: "faults", include: [FAULTS], exclude: ELSEWHERE } },
    ],
  },
});
