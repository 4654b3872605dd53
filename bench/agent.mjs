// Measures one agent with N unchanged lab firewalls of 1 MB: passes per second, CPU per pass, memory, and the time from a push to the first
// write. Usage: node --expose-gc bench/agent.mjs [10 100 1000]
import { heap, openFiles, passes, world } from "./agent/kit.mjs";

const MEGABYTE_OF_ENTRIES = 8_300;
const sizes = process.argv.slice(2).map(Number);
console.log(
  "| firewalls | MB each | first round | passes/s, skipped | CPU ms a pass | heap MB | RSS MB | open files | push to first write, ms |",
);
console.log("|---|---|---|---|---|---|---|---|---|");
for (const count of sizes.length > 0 ? sizes : [10, 100, 1000]) {
  // A target is due again immediately after its pass. Fetches and other timers keep their interval.
  const pace = { interval: 1, speed: 1 };
  const agent = {
    get driftInterval() {
      return pace.interval;
    },
    skipPasses: 1_000_000,
  };
  const one = await world({ count, entries: MEGABYTE_OF_ENTRIES, pace, agent });
  const began = performance.now();
  const firstRound = passes(one.events, count);
  one.start();
  await firstRound;
  const first = (performance.now() - began) / 1000;
  const measured = Math.max(200, count / 2);
  const cpu = process.cpuUsage();
  const from = performance.now();
  const results = await passes(one.events, measured);
  const seconds = (performance.now() - from) / 1000;
  const used = process.cpuUsage(cpu);
  const cpuMs = (used.user + used.system) / 1000 / measured;
  const memory = [(await heap()) / 1e6, process.memoryUsage().rss / 1e6];
  const files = openFiles();
  // The agent is idle while the time of a push is measured.
  pace.interval = 1e12;
  const calm = passes(one.events, count);
  one.push("calm");
  one.fetchSoon();
  await calm;
  await one.idle();
  const times = [];
  for (let i = 0; i < 5; i++) {
    one.want(i % count, `    pushed-${i}: { ip-netmask: 10.200.0.${i} }`);
    const wrote = one.watchWrites();
    const applied = passes(one.events, 1);
    one.push(`push ${i}`);
    const pushed = Date.now();
    one.fetchSoon();
    times.push((await wrote) - pushed);
    await applied;
    await one.idle();
  }
  await one.close();
  times.sort((a, b) => a - b);
  const cells = [
    count,
    (one.bytes / 1e6).toFixed(2),
    `${first.toFixed(1)} s`,
    `${(measured / seconds).toFixed(1)} (${results.skipped ?? 0} of ${measured})`,
    cpuMs.toFixed(1),
    memory[0].toFixed(0),
    memory[1].toFixed(0),
    files,
    `${times[2]} (${times[0]} to ${times[4]})`,
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
