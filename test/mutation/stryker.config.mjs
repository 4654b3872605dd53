/** Results of a room's mutants, from which the next run continues. */
const state = `.mutation/${process.env.MUTATION_ROOM}`;

/**
 * Configuration of Stryker for `npm run test:mutation` (run.mjs). docs/contributing/testing.md#mutations lists the exclusions and reasons.
 */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  concurrency: 1,
  ignoreStatic: true,
  mutator: { excludedMutations: ["StringLiteral"] },
  // A test's own timeout ends most hangs first. This one ends hangs that block it.
  timeoutMS: 60_000,
  // The compiler of version 7 has no programming interface, by which Stryker would read the file.
  tsconfigFile: "none",
  tempDirName: ".mutation/sandbox",
  ignorePatterns: [".mutation", "bench", "dist", "docs", "release", "test/mutation/node_modules"],
  incremental: true,
  incrementalFile: `${state}.json`,
  reporters: ["clear-text", "progress-append-only", "html"],
  htmlReporter: { fileName: `${state}.html` },
  allowEmpty: true,
};
