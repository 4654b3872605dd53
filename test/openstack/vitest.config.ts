import { defineConfig } from "vitest/config";

/** Used by `test/openstack/run`. Files run one at a time, because the real services handle one request at a time and share their settings. */
export default defineConfig({
  test: {
    include: ["test/openstack/**/*.test.ts"],
    globalSetup: ["test/openstack/harness/services.ts"],
    reporters: ["default", "./test/counts.ts"],
    setupFiles: ["test/setup.ts"],
    fileParallelism: process.env.PLUMBLINE_SUITE === "lab",
    // Tests on the lab spend most of their time waiting.
    maxWorkers: process.env.PLUMBLINE_SUITE === "lab" ? 3 : 1,
    // `.ci/run` runs other suites concurrently. A test of 40 seconds then took 180 seconds.
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
