import { defineConfig } from "vitest/config";
import { SOAK_SEED, soak } from "../seed.js";

if (soak) console.info(`To repeat the cases of this soak test, set PLUMBLINE_SEED=${SOAK_SEED}.`);

export default defineConfig({
  test: {
    include: ["test/scale/**/*.test.ts"],
    reporters: ["default", "./test/counts.ts"],
    setupFiles: ["test/setup.ts"],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
});
