import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: process.env.PLUMBLINE_SOAK ? [] : ["test/soak/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
