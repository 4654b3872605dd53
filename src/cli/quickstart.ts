import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningServices } from "../lab/services.js";
import { choosePaint } from "../report/style.js";
import type { Context } from "./context.js";
import { runAgentDemo } from "./quickstart-agent.js";
import { runManagerDemo } from "./quickstart-manager.js";
import { commitAll, commitNew, type Steps, stepsOn } from "./quickstart-output.js";
import { safeOutput } from "./safe-output.js";

const EXAMPLE = fileURLToPath(new URL("../../desired-state", import.meta.url));
const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
const DATABASES = "db-a";
const REQUEST = "allow edge --from net-office --to srv-db-1 --service tcp/22 --application ssh --reason C-7";
const paint = choosePaint(process.stdout, process.env);

/** Lab servers of all three targets. */
type DataCentre = RunningServices & { readonly [Part in "firewall" | "cloud" | "controller"]: NonNullable<RunningServices[Part]> };

/** Returns the environment of a shell in the checkout. */
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

/** Applies a data centre and an access request, then detects and reverts manual changes. */
async function runDemo(lab: DataCentre, folder: string, { heading, run }: Steps): Promise<void> {
  heading("Plumbline quickstart: a simulated firewall, OpenStack and Contrail on this machine.");
  heading("1. Adopt: take ownership of the firewall's existing rules. The firewall is not changed.");
  await run("adopt edge", 0);
  heading("2. Plan: show the pending changes of all targets. Exit code 2 means that changes are pending.");
  await run("plan --out plan.json", 2, { block: 2, reachability: 1 });
  heading("3. Apply: create the cloud objects, use their addresses on the firewall, and verify the result.");
  await run("apply plan.json", 0);
  heading("4. Access request: may the office use ssh on the database server? Design the edit, commit and apply it.");
  await run(`${REQUEST} --write`, 0, { block: 5, reachability: 0 });
  await commitAll(folder, "C-7");
  await run("reconcile edge --yes --quiet", 0);
  await run(REQUEST, 0);
  heading("5. Drift: an administrator opens a rule on the firewall, and a subnet loses its name servers.");
  openRule(lab);
  removeNameServers(lab);
  await run("drift", 2, { block: 20, reachability: 2 });
  heading("6. Repair: restore the desired state.");
  await run("reconcile --yes --quiet", 0);
  await run("drift --quiet", 0);
  heading("Next: follow docs/tutorial.md with the configuration of your own firewall.");
}

/** Opens and commits a rule as another administrator. */
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

function removeNameServers({ cloud }: DataCentre): void {
  const found = JSON.parse(cloud.act({ service: "network", method: "GET", path: `/v2.0/subnets?name=${DATABASES}`, user: "admin" }).text);
  const path = `/v2.0/subnets/${found.subnets[0]?.id}`;
  cloud.act({ service: "network", method: "PUT", path, user: "admin", body: { subnet: { dns_nameservers: [] } } });
}

/** Starts the services on free ports and writes the firewall's certificate authority to `ca.pem` in the folder. */
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

async function main(stop: AbortSignal): Promise<void> {
  const words = process.argv.slice(2);
  const name = words.find((word) => word !== "full");
  const fullCommand = words.includes("full") ? undefined : `npm run quickstart -- ${name === undefined ? "" : `${name} `}full`;
  const folder = await mkdtemp(join(tmpdir(), "plumbline-quickstart-"));
  try {
    if (name === "manager") {
      const stderr = { write: () => true };
      const context = { environment: process.env, folder, stdout: process.stdout, stderr, now: () => new Date(), stop };
      await runManagerDemo(context, (shell) => stepsOn({ context: shell, paint, fullCommand }));
    } else await runDataCentre(folder, stop, fullCommand, name === "agent");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runDataCentre(folder: string, stop: AbortSignal, fullCommand: string | undefined, withAgent: boolean): Promise<void> {
  const lab = await startDataCentre(folder);
  try {
    await cp(EXAMPLE, join(folder, "desired-state"), { recursive: true });
    await commitNew(folder, ["desired-state"], "Desired state");
    const context = contextIn(folder, lab, stop);
    const steps = stepsOn({ context, paint, fullCommand });
    if (!withAgent) return await runDemo(lab, folder, steps);
    const staysOpen = process.stdin.isTTY && process.stdout.isTTY;
    await runAgentDemo({ context, steps, openRule: () => openRule(lab), staysOpen });
  } finally {
    await lab.close();
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
