import { defineConfig } from "vitest/config";

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
