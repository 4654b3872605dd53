import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/secrets/**/*.test.ts"],
    reporters: ["default", "./test/counts.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
