import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { RunningServices } from "../lab/services.js";
import { choosePaint } from "../report/style.js";
import type { Context } from "./context.js";
import { runCli } from "./program.js";
import { tellOfAgent } from "./quickstart-agent.js";
import { tellOfManager } from "./quickstart-manager.js";
import { safeOutput } from "./safe-output.js";

const EXAMPLE = fileURLToPath(new URL("../../desired-state", import.meta.url));
const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
const DATABASES = "db-a";
const paint = choosePaint(process.stdout, process.env);
const stdout = safeOutput(process.stdout);
const git = promisify(execFile);

/** Lab servers of all three targets. */
type DataCentre = RunningServices & { readonly [Part in "firewall" | "cloud" | "controller"]: NonNullable<RunningServices[Part]> };

/** A person's shell in the checkout. */
function contextIn(folder: string, { firewall, cloud, controller }: DataCentre, stop: AbortSignal): Context {
  return {
    environment: {
      ...process.env,
      PLUMBLINE_STATE_DIR: join(folder, "state"),
      PLUMBLINE_TARGET_EDGE_URL: firewall.device.url,
      PLUMBLINE_TARGET_EDGE_CA: join(folder, "ca.pem"),
      PLUMBLINE_TARGET_CLOUD_URL: `${cloud.urls.identity}/v3`,
      PLUMBLINE_TARGET_FABRIC_URL: controller.url,
      PLUMBLINE_USER: "plumbline",
      PLUMBLINE_PASSWORD: "plumbline",
      CLOUD_USER: "admin",
      CLOUD_PASSWORD: "secret",
    },
    folder,
    stdout: process.stdout,
    stderr: { write: () => true },
    now: () => new Date(),
    stop,
  };
}

/** The whole story on lab servers in this process: plan, apply, audit, other people's changes, drift, heal. */
async function tell(folder: string, lab: DataCentre, stop: AbortSignal): Promise<void> {
  const context = contextIn(folder, lab, stop);
  const run = async (line: string, expected: number): Promise<void> => {
    stop.throwIfAborted();
    show(line);
    const code = await runCli(line.split(" "), context);
    if (code !== expected) throw new Error(`plumbline ${line} ended with ${code}, not ${expected}`);
  };

  say(
    `A small data centre answers: cloud ${lab.cloud.urls.identity}, controller ${lab.controller.url}, firewall ${lab.firewall.device.url}.`,
  );
  say("The firewall's rulebase was never ours: we take it over once, which writes a ledger beside the git history and nothing else.");
  await run("adopt edge", 0);
  say("What would change? Two networks, two servers, a policy, and a firewall that follows them. Exit 2: work is pending.");
  await run("plan --out plan.json", 2);
  say("Apply exactly that plan: the cloud first, then what was known after it; on the firewall one request and one commit. All read back.");
  await run("apply plan.json", 0);
  await run("plan", 0);
  say("Do the network service and the controller tell the same of every network and subnet?");
  await run("audit", 0);
  say("Does the web server reach the database? Asked are its groups, the firewall between the two networks, and the database's groups.");
  await run("reach cloud --whole-path --source web-1 --destination db-1 --service tcp/5432 --application postgres", 0);
  say("At 3 a.m. an administrator opens a rule on the firewall, and somebody takes the name servers from a subnet.");
  openRule(lab);
  loseNameServers(lab);
  await run("drift", 2);
  say("The repository says otherwise.");
  await run("reconcile", 0);
  await run("drift", 0);
  say("Your own device: plumbline import --xml running-config.xml --out my-network, then plumbline lab --from running-config.xml.");
}

function openRule({ firewall }: DataCentre): void {
  const act = (params: Readonly<Record<string, string>>) => firewall.device.act("mkovacs", params);
  act({
    type: "config",
    action: "edit",
    xpath: `${RULES}/entry[@name='web-to-db']/source`,
    element: "<source><member>any</member></source>",
  });
  act({
    type: "config",
    action: "set",
    xpath: `${RULES}/entry[@name='web-to-db']`,
    element: "<description>temporary, ticket 4711</description>",
  });
  act({ type: "commit", cmd: "<commit><description>ticket 4711</description></commit>" });
}

function loseNameServers({ cloud }: DataCentre): void {
  const found = JSON.parse(cloud.act({ service: "network", method: "GET", path: `/v2.0/subnets?name=${DATABASES}`, user: "admin" }).text);
  const path = `/v2.0/subnets/${found.subnets[0]?.id}`;
  cloud.act({ service: "network", method: "PUT", path, user: "admin", body: { subnet: { dns_nameservers: [] } } });
}

/** A comment stands right above. */
let told = false;

function say(text: string): void {
  told = true;
  stdout.write(`\n${paint("dim", `# ${text}`)}\n`);
}

/** On free ports; the certificate authority of the firewall comes to lie in the folder as `ca.pem`. */
async function startDataCentre(folder: string): Promise<DataCentre> {
  const { startServices } = await import("../lab/services.js");
  const { firewall, cloud, controller, ...rest } = await startServices({
    firewall: { devices: [{ name: "edge", configFile: join(EXAMPLE, "lab", "edge.xml") }] },
    cloud: { ports: "free" },
    controller: { port: 0 },
    readyFile: join(folder, "ready.json"),
  });
  if (firewall === undefined || cloud === undefined || controller === undefined) throw new Error("a service of the lab did not start");
  return { ...rest, firewall, cloud, controller };
}

/** A command line, with a line before it where no comment stands right above. */
function show(line: string): void {
  stdout.write(`${told ? "" : "\n"}${paint("cyan", `$ plumbline ${line}`)}\n`);
  told = false;
}

/** Of a manager: it has servers of its own. */
async function mainOfManager(folder: string, stop: AbortSignal): Promise<void> {
  const stderr = { write: () => true };
  const context = { environment: process.env, folder, stdout: process.stdout, stderr, now: () => new Date(), stop };
  try {
    await tellOfManager({ folder, context, say, show });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function main(stop: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-quickstart-"));
  if (process.argv[2] === "manager") return await mainOfManager(folder, stop);
  const lab = await startDataCentre(folder);
  try {
    await cp(EXAMPLE, join(folder, "desired-state"), { recursive: true });
    await git("git", ["init", "-q", folder]);
    await git("git", ["-C", folder, "add", "desired-state"]);
    await git("git", ["-C", folder, "-c", "user.name=You", "-c", "user.email=you@example.net", "commit", "-q", "-m", "What we want"]);
    if (process.argv[2] === "agent") await tellOfAgent({ context: contextIn(folder, lab, stop), openRule: () => openRule(lab), say, stop });
    else await tell(folder, lab, stop);
  } finally {
    await lab.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupt.abort(new Error("stopped")));
try {
  await main(interrupt.signal);
} catch (error) {
  safeOutput(process.stderr).write(`quickstart: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
