// Second part of `npm test`, after the build: runs lint and types concurrently with the tests, because tests often wait for disks and
// child processes. The output of a failed lint or type check is printed after the tests, so that the end shows every failure.
import { spawn } from "node:child_process";

const CHECKS = ["lint", "check"];

const checks = runAll(CHECKS);
const tests = await exitOf(spawn("vitest run --project tests", { shell: true, stdio: "inherit" }));
const failed = tests.code === 0 ? [] : ["tests"];
for (const { name, code, output } of await checks) {
  if (code === 0) continue;
  failed.push(name);
  process.stdout.write(`\n${output}`);
}
console.log(failed.length === 0 ? "Lint, types and tests passed" : `Failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs npm scripts one after the other. A failure does not stop the rest. */
async function runAll(names) {
  const results = [];
  for (const name of names) results.push({ name, ...(await exitOf(spawn("npm", ["run", name], { stdio: ["ignore", "pipe", "pipe"] }))) });
  return results;
}

/** Returns the exit code of a process and its captured output. */
function exitOf(child) {
  const chunks = [];
  child.stdout?.on("data", (chunk) => chunks.push(chunk));
  child.stderr?.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output: Buffer.concat(chunks).toString("utf8") }));
  });
}
