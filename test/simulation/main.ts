import "./system.js";
import { cloudScriptOf } from "./cloud-script.js";
import { live } from "./history.js";
import { managerScriptOf } from "./manager-script.js";
import { MemoryStore } from "./memory-store.js";
import { MORE_FAULTS, scriptOf, USUAL } from "./script.js";
import { shrink } from "./shrink.js";

/** Stops after this many violations. */
const MOST_FOUND = 5;

/** `main cloud ...`, `main manager ...`: the same of a project of a cloud, of a manager with its firewalls, in the place of a firewall. `main more-faults ...`: more of them in each history. */
const words = process.argv.slice(2);
const measure = words.includes("more-faults") ? MORE_FAULTS : USUAL;
const scripts = words.includes("cloud") ? cloudScriptOf : words.includes("manager") ? managerScriptOf : scriptOf;
const draw = (seed: number) => scripts(seed, measure);

/**
 * `main FIRST COUNT`: runs the histories of these seeds, and prints a line of JSON for each violation and one with the totals. `main SEED`:
 * prints the shortest journal of one that still shows the violation.
 */
const [first = 1, count] = words.filter((word) => /^[0-9]+$/.test(word)).map(Number);
const memory = await MemoryStore.open();
// Lazily loaded modules must not load during a history.
for (const seed of [-1, -2, -3, -4]) await live({ ...draw(seed), hasAgent: seed % 2 === 0 }, memory);
if (count === undefined) await tellOne(first);
else await liveMany(first, count);

async function liveMany(from: number, many: number): Promise<void> {
  const sums = { first: from, histories: 0, happened: 0, commits: 0, passes: 0, broken: 0, last: "" };
  for (let seed = from; seed < from + many && sums.broken < MOST_FOUND; seed++) {
    const { violations, happened, commits, passes, digest } = await live(draw(seed), memory);
    sums.histories += 1;
    sums.happened += happened;
    sums.commits += commits;
    sums.passes += passes;
    sums.last = digest;
    if (violations.length === 0) continue;
    sums.broken += 1;
    process.stdout.write(`${JSON.stringify({ seed, violations })}\n`);
  }
  process.stdout.write(`${JSON.stringify(sums)}\n`);
}

async function tellOne(seed: number): Promise<void> {
  const whole = await live(draw(seed), memory);
  const { script, history } = whole.violations.length === 0 ? { script: draw(seed), history: whole } : await shrink(draw(seed), memory);
  const { steps, ...rest } = script;
  const lines = [JSON.stringify(rest), ...steps.map((step) => JSON.stringify(step)), "", ...history.journal, ""];
  const broken = history.violations.map(({ rule, message }) => `${rule}: ${message}`);
  process.stdout.write(`${[...lines, ...broken, whole.digest].join("\n")}\n`);
}
