import { spawnSync } from "node:child_process";

/**
 * Builds `dist` before the first test, so that each test file can run alone, because some tests start the program as a process. If the
 * build fails, the error is printed and the tests run on the existing files.
 */
export default function build(): void {
  const { status } = spawnSync(process.execPath, ["packaging/build.mjs"], { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) console.error("The build failed: tests that start the program meet an older one.");
}
