// Measures changes of a manager with its firewalls: the plan, the push in waves with its verification, and the next pass.
// Usage: npm run build && node bench/push.mjs [firewalls ...]. Exits with 1 if the journals of the labs differ from the expected requests.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as setTimer } from "node:timers/promises";

const dist = process.env.PLUMBLINE_DIST ?? new URL("../dist", import.meta.url).pathname;
const load = async (path) => await import(`${dist}/${path}`);
const { startLab } = await load("lab/panos/start.js");
const { planTargets, reconcileTargets } = await load("engine/reconcile.js");
const { withoutFlags } = await load("engine/pass/options.js");
const { thisMachine } = await load("engine/pass/machine.js");
const { panosKind } = await load("targets/panos/kind.js");
const { openPanosReader } = await load("targets/panos/reader.js");
const { openPanosWriter } = await load("targets/panos/writer.js");
const { systemDependencies } = await load("targets/panos/dependencies.js");

const ENTRY = "localhost.localdomain";
const PARENTS = { north: "all", south: "all", n1: "north", n2: "north", s1: "south", s2: "south", s3: "south" };
const LEAVES = ["n1", "n2", "s1", "s2", "s3"];
const STACKS = ["st0", "st1", "st2", "st3", "st4", "st5"];
const entry = (name, inner = "") => (inner === "" ? `<entry name="${name}"/>` : `<entry name="${name}">${inner}</entry>`);
const entries = (names) => names.map((name) => entry(name)).join("");

/** Returns eight device groups on three levels, six stacks with variables, two HA pairs, and one firewall with two virtual systems. */
function world(count) {
  const firewalls = Array.from({ length: count }, (_, at) => ({
    name: `fw${at}`,
    serial: `0070000${String(at).padStart(8, "0")}`,
    group: LEAVES[at % LEAVES.length],
    stack: STACKS[at % STACKS.length],
    systems: at === count - 1 ? 2 : 1,
  }));
  const members = (list, key) => firewalls.filter((each) => each[key] === list);
  const group = (name) => {
    const own = members(name, "group").map(({ serial, systems }) =>
      entry(serial, systems === 1 ? "" : `<vsys>${entry("vsys1")}${entry("vsys2")}</vsys>`),
    );
    return entry(name, own.length === 0 ? "<address/>" : `<devices>${own.join("")}</devices>`);
  };
  const stack = (name) => {
    const own = members(name, "stack").map(({ serial }, at) =>
      entry(serial, at % 3 === 0 ? `<variable>${entry("$domain", `<type><fqdn>d${at}.example.net</fqdn></type>`)}</variable>` : ""),
    );
    return entry(name, `<templates><member>base</member></templates><devices>${own.join("")}</devices>`);
  };
  const base = `<config><devices>${entry(ENTRY, "<deviceconfig><system><domain>$domain</domain></system></deviceconfig>")}</devices></config><variable>${entry("$domain", "<type><fqdn>example.net</fqdn></type>")}</variable>`;
  const names = ["all", ...Object.keys(PARENTS)];
  const hierarchy = names.map((name, at) =>
    entry(name, `<id>${at + 11}</id>${PARENTS[name] === undefined ? "" : `<parent-dg>${PARENTS[name]}</parent-dg>`}`),
  );
  const device = `<deviceconfig><system><hostname>manager</hostname></system></deviceconfig><template>${entry("base", base)}</template><template-stack>${STACKS.map(stack).join("")}</template-stack><device-group>${names.map(group).join("")}</device-group>`;
  const role = "<permissions><role-based><superuser>yes</superuser></role-based></permissions>";
  const config = `<config version="11.1.0"><mgt-config><users>${entry("admin", role)}</users><devices>${entries(firewalls.map(({ serial }) => serial))}</devices></mgt-config><shared/><devices>${entry(ENTRY, device)}</devices><readonly><devices>${entry(ENTRY, `<device-group>${hierarchy.join("")}</device-group>`)}</devices></readonly></config>`;
  return { firewalls, config };
}

function firewallConfig({ name, systems }) {
  const vsys = entries(Array.from({ length: systems }, (_, at) => `vsys${at + 1}`));
  return `<config version="11.1.0"><shared/><devices>${entry(ENTRY, `<deviceconfig><system><hostname>${name}</hostname></system></deviceconfig><vsys>${vsys}</vsys>`)}</devices></config>`;
}

const nothing = () => undefined;
const shared = {
  ...systemDependencies({ debug: nothing, info: nothing, warn: nothing, error: nothing }),
  clock: { now: () => Date.now(), sleep: (milliseconds) => setTimer(Math.min(milliseconds, 20)) },
};
const connections = {
  reader: (configuration) => openPanosReader(configuration, shared),
  writer: (configuration) => openPanosWriter(configuration, shared),
  guards: () => ({ management: nothing, meaning: nothing, neverPruned: () => false }),
};

async function started(count) {
  const { firewalls, config } = world(count);
  const administrators = ["plumbline", "alice"].map((name) => ({ name, password: name, role: { kind: "superuser" } }));
  const peers = { fw0: "fw1", fw2: "fw3" };
  const common = { jobDuration: 0 };
  const lab = await startLab({
    devices: [
      { name: "manager", config, administrators, plainHttp: true, ...common },
      ...firewalls.map((each) => ({
        name: each.name,
        system: { serial: each.serial },
        manager: "manager",
        config: firewallConfig(each),
        ...(peers[each.name] === undefined ? {} : { peer: peers[each.name] }),
        ...common,
      })),
    ],
  });
  const act = (params) => {
    const { status, message } = lab.device.act("alice", params);
    if (status !== "success") throw new Error(message);
  };
  const settle = () => act({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
  act({
    type: "commit",
    action: "all",
    cmd: `<commit-all><shared-policy><device-group>${entries(LEAVES)}</device-group></shared-policy></commit-all>`,
  });
  for (let at = 0; at < 4; at++) settle();
  const folder = mkdtempSync(join(tmpdir(), "bench-push-"));
  mkdirSync(join(folder, "docs"));
  const batch = Math.max(3, Math.ceil(count / 5));
  writeFileSync(
    join(folder, "plumbline.yaml"),
    `format: 1\nowner: us\ndocuments: [docs]\ntargets:\n  manager: { kind: panos, url: "${lab.device.plainUrl}", mode: enforce, credentials: { username: plumbline, password: "\${env:PW}" }, push: { rollout: { canary: ["${firewalls[4].serial}"], batch: ${batch} } } }\n`,
  );
  return { lab, firewalls, folder };
}

const pass = (folder) => ({
  ...withoutFlags,
  source: {
    configurationFile: join(folder, "plumbline.yaml"),
    kinds: new Map([["panos", panosKind]]),
    environment: { PW: "plumbline" },
  },
  stores: { stateFolder: join(folder, "state"), ledger: join(folder, "ledger.json") },
  machine: thisMachine,
});

const write = { takeover: false, lockTimeout: 10, sleep: (milliseconds) => setTimer(Math.min(milliseconds, 20)) };

const document = (scope, config) => `target: manager\nscope: ${scope}\nconfig: ${config}\n`;
const zone = (value) => `{ config: { devices: { ${ENTRY}: { deviceconfig: { system: { timezone: ${value} } } } } } }`;
const tag = (name) => `{ tag: { ${name}: { comments: ours } } }`;
const every = () => true;
const northern = ({ group }) => PARENTS[group] === "north";
const CHANGES = [
  { name: "shared", files: { shared: document("shared", tag("everywhere")) }, reaches: every },
  { name: "group", files: { group: document("device-group/north", tag("north")) }, reaches: northern },
  { name: "template", files: { net: document("template/base", zone("UTC")) }, reaches: every },
  {
    name: "both",
    files: { group: document("device-group/north", tag("again")), net: document("template/base", zone("Europe/Rome")) },
    reaches: every,
  },
];

const wrong = [];
const check = (passes, message) => {
  if (!passes) wrong.push(message);
};

async function change({ lab, firewalls, folder }, { name, files, reaches }) {
  const manager = lab.device.state;
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, "docs", `${file}.yaml`), text);
  const measured = async (work) => {
    const [began, cpu, requests] = [performance.now(), process.cpuUsage(), manager.journal.length];
    const [outcome] = await work();
    if (outcome.error !== undefined) throw outcome.error;
    const { user, system } = process.cpuUsage(cpu);
    return {
      outcome,
      ms: Math.round(performance.now() - began),
      cpu: Math.round((user + system) / 1000),
      requests: manager.journal.length - requests,
    };
  };
  const planned = await measured(() => planTargets(pass(folder), connections));
  const before = manager.pushes.length;
  const run = await measured(() => reconcileTargets(pass(folder), write, connections));
  const sent = manager.pushes.slice(before);
  const [validations, pushes] = [sent.filter(({ validateOnly }) => validateOnly), sent.filter(({ validateOnly }) => !validateOnly)];
  const wanted = firewalls
    .filter(reaches)
    .map(({ serial }) => serial)
    .sort();
  const where = `${firewalls.length} firewalls, ${name}`;
  check(
    JSON.stringify(pushes.flatMap(({ serials }) => serials).sort()) === JSON.stringify(wanted),
    `${where}: not every firewall got exactly one push`,
  );
  check(
    validations.every(({ job }) => pushes.every((each) => each.job > job)),
    `${where}: a push started before all firewalls had validated it`,
  );
  const last = new Map(lab.devices.map(({ state }) => [state.serial, state.received.at(-1)]));
  check(
    wanted.every((serial) => last.get(serial)?.ok === true),
    `${where}: a firewall did not accept the push`,
  );
  check(
    run.outcome.firewalls.rows.every(({ state }) => state === "in sync"),
    `${where}: not in sync`,
  );
  check(
    run.outcome.firewalls.rows.every(({ serial, handed }) => !wanted.includes(serial) || handed?.state === "equal"),
    `${where}: the received configuration was not verified`,
  );
  const [pushed, commits] = [manager.pushes.length, manager.commits.length];
  const again = await measured(() => reconcileTargets(pass(folder), write, connections));
  check(manager.pushes.length === pushed && manager.commits.length === commits, `${where}: the second pass made changes`);
  const waves = new Set(run.outcome.pushed.map(({ wave }) => wave)).size;
  return [
    firewalls.length,
    name,
    wanted.length,
    waves,
    pushes.length,
    planned.requests,
    run.requests,
    again.requests,
    planned.ms,
    run.ms,
    again.ms,
    run.cpu,
  ];
}

const sizes = process.argv.slice(2).map(Number);
const HEAD = [
  "firewalls",
  "change",
  "reached",
  "waves",
  "jobs",
  "requests: plan",
  "run",
  "again",
  "ms: plan",
  "run",
  "again",
  "CPU ms (including the lab)",
];
console.log(`| ${HEAD.join(" | ")} |\n|${HEAD.map(() => "---|").join("")}`);
for (const count of sizes.length > 0 ? sizes : [10, 50, 500]) {
  const made = await started(count);
  try {
    for (const each of CHANGES) console.log(`| ${(await change(made, each)).join(" | ")} |`);
  } finally {
    await made.lab.close();
    rmSync(made.folder, { recursive: true, force: true });
  }
}
for (const message of wrong) console.error(`wrong: ${message}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
