import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import ProgramsFirst from "./test/order.js";
import { SOAK_SEED, soak } from "./test/seed.js";

if (soak) console.info(`To repeat the cases of this soak test, set PLUMBLINE_SEED=${SOAK_SEED}.`);

/** Suites with a configuration and a command of their own. */
const OTHER_SUITES = ["test/openstack/**", "test/scale/**", "test/web/browser/**", ...(soak ? [] : ["test/soak/**"])];
/** Tests that kill processes or inject a fault at each step of a run, and other slow tests: `npm run test:faults`. */
const FAULTS = "test/**/*.{faults,long}.test.ts";

const shared = {
  setupFiles: ["test/setup.ts"],
  testTimeout: soak ? 3_600_000 : 60_000,
  hookTimeout: 60_000,
  // Loading the modules again for each test file takes longer than its tests.
  isolate: false,
  // Most objects are short-lived. A larger young generation is collected less often.
  execArgv: ["--min-semi-space-size=16", "--max-semi-space-size=64"],
  // Unchanged files are not compiled again in each run.
  experimental: { fsModuleCache: true },
};

export default defineConfig({
  test: {
    // More workers than cores, because tests often wait for disks, child processes and server clocks.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    reporters: ["default", "./test/counts.ts"],
    globalSetup: "test/build.ts",
    sequence: { sequencer: ProgramsFirst },
    projects: [
      { test: { ...shared, name: "tests", include: ["test/**/*.test.ts"], exclude: [...OTHER_SUITES, FAULTS] } },
      { test: { ...shared, name: "faults", include: [FAULTS], exclude: OTHER_SUITES } },
    ],
  },
});
