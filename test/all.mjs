// The rest of `npm test` once the build is done: lint and types beside the tests. Tests wait for disks and programs now and then, and most
// linters use one core. What was said beside them stands whole behind what the tests say: whoever sees only the end sees all that is red.
import { spawn } from "node:child_process";

const BESIDE = ["lint", "check"];

const beside = inTurn(BESIDE);
const tests = await ended(spawn("vitest run --project tests", { shell: true, stdio: "inherit" }));
const red = tests.code === 0 ? [] : ["tests"];
for (const { name, code, said } of await beside) {
  if (code === 0) continue;
  red.push(name);
  process.stdout.write(`\n${said}`);
}
console.log(red.length === 0 ? "Lint, types and tests: green" : `Red: ${red.join(", ")}`);
process.exitCode = red.length === 0 ? 0 : 1;

/** Each by itself, also where one before it failed. */
async function inTurn(names) {
  const results = [];
  for (const name of names) results.push({ name, ...(await ended(spawn("npm", ["run", name], { stdio: ["ignore", "pipe", "pipe"] }))) });
  return results;
}

/** The exit code of a process, and what it wrote where that is not ours to see at once. */
function ended(child) {
  const said = [];
  child.stdout?.on("data", (chunk) => said.push(chunk));
  child.stderr?.on("data", (chunk) => said.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, said: Buffer.concat(said).toString("utf8") }));
  });
}
