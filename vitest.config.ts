import { defineConfig } from "vitest/config";

const soak = process.env.PLUMBLINE_SOAK !== undefined;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/openstack/**", "test/scale/**", "test/web/browser/**", ...(soak ? [] : ["test/soak/**"])],
    // Vitest leaves a core to itself, and uses none of it: on two cores everything would run on one.
    maxWorkers: "100%",
    setupFiles: ["test/setup.ts"],
    testTimeout: soak ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
  },
});
