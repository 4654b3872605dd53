// Accelerated night of an agent: 10,000 passes over 20 lab firewalls, with some drift that is healed and some pushes. The heap after
// collection and the number of open files must not grow. Usage: node --expose-gc bench/agent-night.mjs [PASSES]
import { heap, openFiles, passes, world } from "./agent/kit.mjs";

const COUNT = 20;
const total = Number(process.argv[2] ?? 10_000);
const one = await world({
  count: COUNT,
  entries: 300,
  pace: { speed: 5000 },
  agent: { driftInterval: 1000, skipPasses: 3, healLimit: 1_000_000 },
});
const step = Math.max(100, total / 10);
const rows = [];
one.start();
const results = {};
for (let at = step; at <= total; at += step) {
  one.meddle((at / step) % COUNT);
  one.want((at / step) % COUNT, `    night-${at}: { ip-netmask: 10.200.1.1 }`);
  one.push(`at ${at}`);
  one.fetchSoon();
  for (const [word, count] of Object.entries(await passes(one.events, step))) results[word] = (results[word] ?? 0) + count;
  rows.push(await one.atRest(async () => [at, (await heap()) / 1e6, process.memoryUsage().rss / 1e6, openFiles()]));
  console.log(`| ${at} | ${rows.at(-1)[1].toFixed(2)} | ${rows.at(-1)[2].toFixed(0)} | ${rows.at(-1)[3]} |`);
}
await one.close();
const [first] = rows;
const last = rows.at(-1);
console.log(JSON.stringify(results));
console.log(
  `heap at pass ${last[0]} is ${(last[1] / first[1]).toFixed(3)} times that at pass ${first[0]}; open files ${first[3]} and ${last[3]}`,
);
