import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DeviceOptions } from "../lab/panos/options.js";
import type { RunningServices } from "../lab/services.js";
import type { Context } from "./context.js";
import { commitNew, type Steps } from "./quickstart-output.js";

const FIREWALLS = ["rome", "oslo", "bern", "kyiv", "riga", "bonn"] as const;
const SERIALS = FIREWALLS.map((_, at) => `00700000000010${at + 1}`);
const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";

const CONFIGURATION = (url: string): string => `format: 1
owner: you
documents: [branch]
targets:
  manager:
    kind: panos
    url: ${url}
    mode: enforce
    credentials: { username: plumbline, password: "\${env:PLUMBLINE_PASSWORD}" }
    tls: { ca: ca.pem }
    offline: 3d
    push: { rollout: { canary: ["${SERIALS[0]}"], batch: 3 } }
`;

const RULE = `target: manager
scope: device-group/branch
config:
  address:
    dns: { ip-netmask: 192.0.2.53 }
  pre-rulebase:
    security:
      rules:
        - name: allow-dns
          from: [any]
          to: [any]
          source: [any]
          destination: [dns]
          application: [dns]
          service: [application-default]
          action: allow
`;

/** Pushes one rule to a group of six firewalls: one refuses it, one is disconnected and catches up. */
export async function runManagerDemo(context: Context, stepsIn: (shell: Context) => Steps): Promise<void> {
  const { folder } = context;
  const lab = await startManager(folder);
  const { setConnected } = await import("../lab/panos/manager/push.js");
  try {
    const { firewall } = lab;
    if (firewall === undefined) throw new Error("the lab did not start");
    await writeRepository(folder, firewall.device.url);
    const environment = { ...context.environment, PLUMBLINE_STATE_DIR: join(folder, "state"), PLUMBLINE_PASSWORD: "plumbline" };
    const { heading, run } = stepsIn({ ...context, environment });
    const device = (name: string) => {
      const found = firewall.devices.find((each) => each.name === name);
      if (found === undefined) throw new Error(`there is no ${name}`);
      return found;
    };
    const onCanary = (params: Readonly<Record<string, string>>) => {
      device("rome").act("admin", { type: "config", ...params });
      device("rome").act("admin", { type: "commit", cmd: "<commit/>" });
      device("rome").act("admin", { type: "op", cmd: "<show><jobs><all/></jobs></show>" });
    };

    heading("Plumbline quickstart: a simulated manager with six firewalls. The firewall rome is the canary.");
    heading("1. Plan: add one rule to all six firewalls. Exit code 2 means that changes are pending.");
    await run("plan", 2);
    heading('2. Conflict: rome has a local address "dns" and would refuse the push. No firewall is changed.');
    const element = "<entry name='dns'><ip-netmask>198.51.100.1</ip-netmask></entry>";
    onCanary({ action: "set", xpath: `${VSYS}/address`, element });
    await run("reconcile --yes", 4);
    heading("3. Retry: the conflict is resolved, but bonn is disconnected. The canary is first, then batches of three.");
    onCanary({ action: "delete", xpath: `${VSYS}/address/entry[@name='dns']` });
    setConnected(device("bonn").state, false);
    await run("reconcile --yes", 2);
    heading("4. Catch up: bonn is connected again and receives the missing change.");
    setConnected(device("bonn").state, true);
    await run("reconcile --yes", 0);
    heading("5. Check: all firewalls have the change.");
    await run("drift", 0);
    heading("Next: read docs/manager.md.");
  } finally {
    await lab.close();
  }
}

async function writeRepository(folder: string, url: string): Promise<void> {
  await mkdir(join(folder, "branch"));
  await writeFile(join(folder, "plumbline.yaml"), CONFIGURATION(url));
  await writeFile(join(folder, "branch/dns.yaml"), RULE);
  await commitNew(folder, ["plumbline.yaml", "branch"], "DNS for the branches");
}

async function startManager(folder: string): Promise<RunningServices> {
  const { startServices } = await import("../lab/services.js");
  const administrators = ["plumbline", "admin"].map((name) => ({ name, password: name, role: { kind: "superuser" as const } }));
  const firewalls = FIREWALLS.map((name, at): DeviceOptions => {
    const serial = SERIALS[at] ?? "";
    return { name, manager: "manager", system: { serial }, config: firewallOf(name), administrators };
  });
  const lab = await startServices({
    firewall: { devices: [{ name: "manager", config: managerOf(), administrators }, ...firewalls] },
    readyFile: join(folder, "ready.json"),
  });
  const { firewall } = lab;
  const cmd = "<commit-all><shared-policy><device-group><entry name='branch'/></device-group></shared-policy></commit-all>";
  firewall?.device.act("admin", { type: "commit", action: "all", cmd });
  return lab;
}

const ENTRY = "localhost.localdomain";

function managerOf(): string {
  const serials = SERIALS.map((serial) => `<entry name="${serial}"/>`).join("");
  return `<config version="11.1.0"><mgt-config><users><entry name="admin"><permissions><role-based><superuser>yes</superuser></role-based></permissions></entry></users><devices>${serials}</devices></mgt-config><shared/><devices><entry name="${ENTRY}"><deviceconfig><system><hostname>manager</hostname></system></deviceconfig><device-group><entry name="branch"><devices>${serials}</devices></entry></device-group></entry></devices><readonly><devices><entry name="${ENTRY}"><device-group><entry name="branch"><id>11</id></entry></device-group></entry></devices></readonly></config>`;
}

function firewallOf(name: string): string {
  return `<config version="11.1.0"><shared/><devices><entry name="${ENTRY}"><deviceconfig><system><hostname>${name}</hostname></system></deviceconfig><vsys><entry name="vsys1"/></vsys></entry></devices></config>`;
}
