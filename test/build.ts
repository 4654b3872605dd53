import { spawnSync } from "node:child_process";

/**
 * Brings `dist` up to date before the first test, so that any test file can be run alone: some tests start the program in
 * processes of their own. Where something does not compile that is said, and the tests run all the same, on what there is.
 */
export default function build(): void {
  const { status } = spawnSync(process.execPath, ["packaging/build.mjs"], { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) console.error("The build failed: tests that start the program meet an older one.");
}
