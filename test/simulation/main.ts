import "./system.js";
import { live } from "./history.js";
import { MemoryStore } from "./memory-store.js";
import { scriptOf } from "./script.js";

/** `main FIRST COUNT`: lives histories, and writes one line of JSON for each that is not well, and one with the sums. */
const [first = 1, count = 1] = process.argv.slice(2).map(Number);
const memory = await MemoryStore.open();
// What is loaded when it is first needed must not be loaded while a history runs.
for (const seed of [0, -1, -2, -3]) await live({ ...scriptOf(seed), hasAgent: seed % 2 === 0 }, memory);
const sums = { first, count: 0, happened: 0, commits: 0, runs: 0, violations: 0 };
for (let seed = first; seed < first + count; seed++) {
 
  const history = await live(scriptOf(seed), memory);
  sums.count += 1;
  sums.happened += history.happened;
  sums.commits += history.commits;
  sums.runs += history.runs;
  if (process.env.JOURNAL) console.log(history.journal.join("\n"));
  if (history.violations.length > 0) {
    sums.violations += 1;
    console.log(JSON.stringify({ seed, violations: history.violations }));
  }
  if (count === 1) console.log(history.digest);
}
console.log(JSON.stringify(sums));
