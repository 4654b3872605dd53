// Measures the page: size and time of the overview, its rendering if Chromium is installed, and the cost of a live update.
// Usage: npm run build && node bench/web.mjs [targets]
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { systemClock } from "../dist/agent/clock.js";
import { Health } from "../dist/agent/health.js";
import { serveAgent } from "../dist/agent/http.js";
import { openWeb } from "../dist/agent/page/open.js";
import { openStore } from "../dist/agent/store/open.js";

const TARGETS = Number(process.argv[2] ?? 5_000);
const RUNS = 7;
const UPDATES = 200;
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const show = (n, digits = 0) => n.toLocaleString("en", { maximumFractionDigits: digits });

const folder = mkdtempSync(join(tmpdir(), "bench-web-"));
const store = await openStore({ kind: "sqlite", file: join(folder, "plumbline.db") }, { readOnly: false });
const names = Array.from({ length: TARGETS }, (_, i) => `fw-${["ams", "bud", "fra", "lon"][i % 4]}-${String(i).padStart(4, "0")}`);
const now = Date.now();

/** One target in twenty has drift. One in a hundred does not respond. */
for (const [i, target] of names.entries()) {
  const started = now - (i % 900) * 1000;
  const start = { target, pass: "drift", trigger: "timer", started, commit: "c0ffee", runner: "bench:1" };
  const path = `/config/shared/address/entry[@name='host-${i}']/ip-netmask`;
  const item = { path, change: "differs", author: `admin-${i % 30}`, authorTime: "2026/11/20 01:00:00", view: { kind: "differs" } };
  const failed = { outcome: "failed", reason: `${target} does not answer: connect ETIMEDOUT 10.0.${i % 256}.1:443` };
  const more = i % 100 === 3 ? failed : i % 20 === 7 ? { outcome: "pending", drift: { items: [item] } } : { outcome: "in-sync" };
  await store.passes.record(start, { ended: started + 900, exitCode: 0, reason: undefined, durations: { total: 900 }, ...more });
}

const targets = new Map(names.map((name) => [name, { kind: "panos", mode: "enforce" }]));
const controls = {
  targets: () => targets,
  commit: () => "c0ffee",
  source: "bench",
  pauses: async () => [],
  hasAudit: () => false,
};
const web = openWeb({
  store,
  controls,
  people: { word: undefined, tokens: [], rights: [] },
  provider: undefined,
  sessionKey: Buffer.alloc(32),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  tell: async () => undefined,
  onFault: (error) => console.error(error),
});
const server = await serveAgent({
  host: "127.0.0.1",
  port: 0,
  health: new Health(systemClock),
  gate: undefined,
  onPush: () => undefined,
  pages: new Map(),
  web,
});

async function timed(path) {
  const from = performance.now();
  const reply = await fetch(`${server.url}${path}`);
  const text = await reply.text();
  return { milliseconds: performance.now() - from, bytes: Buffer.byteLength(text), packed: gzipSync(text, { level: 4 }).length };
}

const first = await timed("/api/fleet");
const again = [];
for (let i = 0; i < RUNS; i++) again.push((await timed("/api/fleet")).milliseconds);
console.log(`overview of ${show(TARGETS)} targets: ${show(first.bytes)} bytes, ${show(first.packed)} compressed`);
console.log(`first reply ${show(first.milliseconds)} ms (reads the store), later ${show(median(again), 1)} ms`);
for (const path of ["/", "/app.js", "/app.css"]) console.log(`${path}: ${show((await timed(path)).packed)} bytes compressed`);

let sent = 0;
const stream = get(`${server.url}/api/events`, (response) => {
  response.on("data", (chunk) => {
    sent += chunk.length;
  });
});
await new Promise((ready) => stream.on("response", ready));
await new Promise((turn) => setImmediate(turn));
const opening = sent;
const cpu = process.cpuUsage();
for (let i = 0; i < UPDATES; i++) {
  const facts = { pass: i, target: names[i * 7], trigger: "timer", commit: "c0ffee", time: Date.now() };
  await web.listen({
    type: "pass-ended",
    ...facts,
    result: i % 2 ? "in-sync" : "failed",
    milliseconds: 900,
    outcome: undefined,
    drift: [],
  });
  if (i % 10 === 9) await new Promise((later) => setTimeout(later, 260));
}
const { user, system } = process.cpuUsage(cpu);
console.log(
  `live update: ${show((sent - opening) / UPDATES)} bytes, ${show((user + system) / UPDATES)} µs of the agent (every second update changes a row)`,
);
stream.destroy();

if (CHROMIUM === undefined) console.log("no Chromium: rendering was not measured");
else {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  const paints = [];
  const rows = [];
  const frames = [];
  const filters = [];
  for (let run = 0; run < RUNS; run++) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}/`);
    await page.locator(".all-rows .row").first().waitFor();
    rows.push(await page.evaluate(() => performance.now()));
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN));
    frames.push(
      ...(await page.evaluate(async () => {
        const box = document.querySelector(".table");
        const times = [];
        for (let i = 0; i < 90; i++) {
          const from = performance.now();
          box.scrollTop += 300;
          await new Promise((drawn) => requestAnimationFrame(drawn));
          times.push(performance.now() - from);
        }
        return times;
      })),
    );
    filters.push(
      await page.evaluate(async () => {
        const input = document.querySelector("input[type=search]");
        const from = performance.now();
        input.value = "lon-00";
        input.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        return performance.now() - from;
      }),
    );
    await page.close();
  }
  await browser.close();
  const slow = [...frames].sort((a, b) => a - b)[Math.floor(frames.length * 0.95)];
  console.log(`Chromium: first paint ${show(median(paints))} ms, rows visible after ${show(median(rows))} ms`);
  console.log(
    `scroll: frame ${show(median(frames), 1)} ms median, ${show(slow, 1)} ms at 95 %; filter to drawn ${show(median(filters))} ms`,
  );
}
web.close();
await server.close();
await store.close();
rmSync(folder, { recursive: true });
