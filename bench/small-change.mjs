// Measures the change of one address on a lab firewall with a given delay per request and a given duration of jobs. The lower bound is the round
// trips of the steps in docs/contributing/requests.md plus the jobs. Also measures the complete process of a plan with a few objects.
//   npm run build && node bench/small-change.mjs [MILLISECONDS_A_REQUEST,...] [MILLISECONDS_A_JOB,...]
// PLUMBLINE_CLI names another build of the command, such as release/package/dist/cli.js. Needs bash, and GNU time at /usr/bin/time.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command as cli, environment } from "./command.mjs";

const dist = new URL("../dist", import.meta.url).pathname;
const { startLab } = await import(`${dist}/lab/panos/start.js`);
const list = (text, otherwise) => (text ?? otherwise).split(",").map(Number);
const delays = list(process.argv[2], "5,50,300");
const jobs = list(process.argv[3], "50,10000,60000");

/** Sequential requests of a small change by a process with a password, according to docs/contributing/requests.md. */
const STEPS = 21;
const TIMES_OF_A_PLAN = 9;
const TIMES_OF_A_CHANGE = 5;
/** Changes before the measurement: the device and its administrator are known by then. */
const CHANGES_BEFORE = 2;

const CONFIG = `<config version="11.1.0"><shared/><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><address/></entry></vsys></entry></devices></config>`;

async function started(jobDuration) {
  const lab = await startLab({ devices: [{ config: CONFIG, jobDuration, plainHttp: true }] });
  const folder = mkdtempSync(join(tmpdir(), "bench-small-"));
  mkdirSync(join(folder, "edge"));
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@example.com", ...args], { cwd: folder, stdio: "ignore" });
  const target = `{ kind: panos, url: "${lab.device.plainUrl}", mode: enforce, credentials: { username: admin, password: "\${env:PW}" } }`;
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: us\ndocuments: [edge]\ntargets: { edge: ${target} }\n`);
  git("init", "--quiet");
  let at = 0;
  const change = () => {
    at++;
    const others = Array.from({ length: 9 }, (_, index) => `  b${index}: { ip-netmask: 10.1.0.${index + 1} }`).join("\n");
    writeFileSync(
      join(folder, "edge/a.yaml"),
      `target: edge\nscope: vsys1\nconfig:\n  address:\n    a: { ip-netmask: 10.0.0.${at} }\n${others.replaceAll(/^/gm, "  ")}\n`,
    );
    git("add", ".");
    git("commit", "--quiet", "--message", "change");
  };
  const end = async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  };
  return { lab, folder, change, end };
}

/** Runs the command and returns its wall and CPU time in seconds and its peak memory in megabytes. */
function run(folder, args) {
  return measured(process.execPath, [cli, ...args], folder);
}

function measured(program, args, cwd) {
  const figures = join(cwd, "figures");
  // GNU time measures the memory. bash measures the times, because GNU time rounds them to 10 ms.
  const script = 'TIMEFORMAT="%3R %3U %3S"; time /usr/bin/time -f %M -o figures "$0" "$@" >/dev/null 2>errors';
  const child = spawn("bash", ["-c", script, program, ...args], {
    cwd,
    // The state of devices is stored by target name, and all lab devices here have the same name.
    env: { ...environment, PW: "admin", PLUMBLINE_STATE_DIR: join(cwd, "state") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const times = [];
  child.stderr.on("data", (bytes) => times.push(bytes));
  return new Promise((resolve, reject) => {
    child.on("close", (code) => {
      if (code !== 0) return reject(new Error(`${args.join(" ")} ended with ${code}:\n${readFileSync(join(cwd, "errors"), "utf8")}`));
      const [wall, user, system] = Buffer.concat(times).toString("utf8").trim().split(" ").map(Number);
      resolve({ wall, processor: user + system, megabytes: Number(readFileSync(figures, "utf8")) / 1024 });
    });
  });
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

console.log(
  "| request delay | job duration | lower bound | change | change minus plan without delay | ratio to lower bound | CPU time minus plan |",
);
console.log("|---|---|---|---|---|---|---|");
for (const job of jobs) {
  for (const delay of delays) {
    const { lab, folder, change, end } = await started(job);
    const reconcile = async () => {
      change();
      return await run(folder, ["reconcile", "--yes"]);
    };
    const delayed = () => lab.fault({ effect: { kind: "delay", milliseconds: delay }, count: Number.MAX_SAFE_INTEGER });
    delayed();
    await repeat(job > 1000 ? 1 : CHANGES_BEFORE, reconcile);
    const turns = await repeat(job > 1000 ? 1 : TIMES_OF_A_CHANGE, async () => {
      // The time of a process without delays, on this machine at this moment.
      lab.clearFaults();
      const plan = await run(folder, ["plan"]);
      delayed();
      return { plan, change: await reconcile() };
    });
    const least = (STEPS * delay + 2 * job) / 1000;
    const wall = median(turns.map((each) => each.change.wall));
    const net = wall - median(turns.map(({ plan }) => plan.wall));
    const processor = median(turns.map((each) => each.change.processor - each.plan.processor));
    console.log(
      `| ${delay} ms | ${job / 1000} s | ${least.toFixed(2)} s | ${wall.toFixed(2)} s | ${net.toFixed(2)} s | ${(net / least).toFixed(2)} | ${processor.toFixed(2)} s |`,
    );
    await end();
  }
}

const world = await started(0);
world.change();
await run(world.folder, ["reconcile", "--yes"]);
const plans = await repeat(TIMES_OF_A_PLAN, async () => {
  const base = await measured(process.execPath, ["-e", "0"], world.folder);
  return { base, plan: await run(world.folder, ["plan"]) };
});
const ratio = median(plans.map(({ base, plan }) => plan.processor / base.processor));
console.log(
  `\nA plan of ten addresses without changes: ${ratio.toFixed(2)} times the CPU time of \`node -e 0\`, ${median(plans.map(({ plan }) => plan.megabytes)).toFixed(0)} MB.`,
);
await world.end();

async function repeat(times, work) {
  const results = [];
  for (let at = 0; at < times; at++) results.push(await work());
  return results;
}
