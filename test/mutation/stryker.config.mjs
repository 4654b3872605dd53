/** What a room's mutants came to, for the next run to go on from. */
const state = `.mutation/${process.env.MUTATION_ROOM}`;

/** `npm run test:mutation` (run.mjs) starts Stryker with this; docs/contributing/testing.md#mutations says what is left out and why. */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  concurrency: 1,
  ignoreStatic: true,
  mutator: { excludedMutations: ["StringLiteral"] },
  // A hang is ended by a test's own time first; this is for what does not even let it.
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
