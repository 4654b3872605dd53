// One agent with its ledgers in git: the time from a push to the applied commit, and the git processes and connections, for a push to one
// target and to all. Usage: npm run build && node bench/agent-push.mjs [10 100 1000]
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { world } from "./agent/kit.mjs";

const ENTRIES = 200;
const CONNECTIONS = new Set(["ls-remote", "fetch", "push", "clone"]);
const folder = mkdtempSync(join(tmpdir(), "bench-agent-push-"));
const sizes = process.argv.slice(2).map(Number);

console.log(
  "| targets | pushed to | applied, s | per target, s | git processes | git connections | connections per 10 targets | RSS MB | load |",
);
console.log("|---|---|---|---|---|---|---|---|---|");
for (const count of sizes.length > 0 ? sizes : [10, 100, 1000]) {
  const one = await world({ count, entries: ENTRIES });
  const applied = new Set();
  const passed = new Set();
  one.events.listen((event) => {
    if (event.type === "applied") applied.add(event.target);
    if (event.type === "pass-ended") passed.add(event.target);
  });
  one.start();
  while (passed.size < count) await wait(50);
  await one.idle();
  for (const pushed of [1, count]) {
    applied.clear();
    for (let i = 0; i < pushed; i++) one.want(i, `    pushed: { ip-netmask: 10.200.0.${pushed % 250} }`);
    one.push(`to ${pushed}`);
    const file = join(folder, `${count}-${pushed}`);
    process.env.GIT_TRACE2_EVENT = file;
    const from = performance.now();
    one.fetchSoon();
    while (applied.size < pushed) await wait(10);
    const seconds = (performance.now() - from) / 1000;
    await one.idle();
    delete process.env.GIT_TRACE2_EVENT;
    const names = gitsIn(file);
    const connections = names.filter((name) => CONNECTIONS.has(name)).length;
    const rss = process.memoryUsage().rss / 1e6;
    const cells = [count, pushed, seconds.toFixed(1), (seconds / pushed).toFixed(2), names.length, connections];
    const more = [((connections / pushed) * 10).toFixed(1), rss.toFixed(0), loadavg()[0]?.toFixed(1)];
    console.log(`| ${[...cells, ...more].join(" | ")} |`);
  }
  await one.close();
}
rmSync(folder, { recursive: true });
process.exit(0);

/** Names of the git programs that this process started, without their child processes. */
function gitsIn(file) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const events = lines.map((line) => JSON.parse(line));
  return events.filter(({ event, sid }) => event === "cmd_name" && !sid.includes("/")).map(({ name }) => name);
}
