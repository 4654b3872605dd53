import { defineConfig } from "vitest/config";

/** Used by `npm run test:web`: tests the page in a real browser. */
export default defineConfig({
  test: {
    include: ["test/web/browser/**/*.test.ts"],
    reporters: ["default", "./test/counts.ts"],
    setupFiles: ["test/setup.ts"],
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
