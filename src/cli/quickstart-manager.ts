import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RunningServices } from "../lab/services.js";
import type { Context } from "./context.js";
import { runCli } from "./program.js";

const git = promisify(execFile);

export interface ManagerStory {
  /** An empty one. */
  readonly folder: string;
  /** A person's shell; its environment and folder are taken over. */
  readonly context: Context;
  readonly say: (text: string) => void;
  /** Shows a command line before it is run. */
  readonly show: (line: string) => void;
}

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
        - name: name service
          from: [any]
          to: [any]
          source: [any]
          destination: [dns]
          application: [dns]
          service: [application-default]
          action: allow
`;

/** One rule for a group of six firewalls: a canary that refuses, a firewall that is away, and that is caught up. */
export async function tellOfManager({ folder, context, say, show }: ManagerStory): Promise<void> {
  const lab = await startManager(folder);
  const { setConnected } = await import("../lab/panos/manager/push.js");
  try {
    const { firewall } = lab;
    if (firewall === undefined) throw new Error("the lab did not start");
    await mkdir(join(folder, "branch"));
    await writeFile(join(folder, "plumbline.yaml"), CONFIGURATION(firewall.device.url));
    await writeFile(join(folder, "branch/dns.yaml"), RULE);
    await git("git", ["init", "-q", folder]);
    await git("git", ["-C", folder, "add", "plumbline.yaml", "branch"]);
    await git("git", [
      "-C",
      folder,
      "-c",
      "user.name=You",
      "-c",
      "user.email=you@example.net",
      "commit",
      "-q",
      "-m",
      "Names for the branches",
    ]);
    const environment = { ...context.environment, PLUMBLINE_STATE_DIR: join(folder, "state"), PLUMBLINE_PASSWORD: "plumbline" };
    const shell: Context = { ...context, folder, environment };
    const run = async (line: string, expected: number): Promise<void> => {
      context.stop.throwIfAborted();
      show(line);
      const code = await runCli(line.split(" "), shell);
      if (code !== expected) throw new Error(`plumbline ${line} ended with ${code}, not ${expected}`);
    };
    const device = (name: string) => {
      const found = firewall.devices.find((each) => each.name === name);
      if (found === undefined) throw new Error(`there is no ${name}`);
      return found;
    };
    const onCanary = (action: "set" | "delete", element?: string) => {
      const at = action === "set" ? `${VSYS}/address` : `${VSYS}/address/entry[@name='dns']`;
      device("rome").act("admin", { type: "config", action, xpath: at, ...(element === undefined ? {} : { element }) });
      device("rome").act("admin", { type: "commit", cmd: "<commit/>" });
      device("rome").act("admin", { type: "op", cmd: "<show><jobs><all/></jobs></show>" });
    };

    say("A manager answers, with a group of six firewalls. One rule is wanted for all of them; rome is the canary.");
    await run("plan", 2);
    say("Somebody made an address dns on rome itself. A name cannot be there twice: rome would refuse, so nothing is pushed to anybody.");
    onCanary("set", "<entry name='dns'><ip-netmask>198.51.100.1</ip-netmask></entry>");
    await run("reconcile", 4);
    say("They take it away. Meanwhile bonn loses its way to the manager.");
    onCanary("delete");
    setConnected(device("bonn").state, false);
    say("The same command goes on where it ended: the canary first, then three at a time, each read before the next wave.");
    await run("reconcile", 2);
    say("bonn is back, and gets what it lacks, alone.");
    setConnected(device("bonn").state, true);
    await run("reconcile", 0);
    await run("drift", 0);
    say("Your own manager: plumbline import, then plumbline lab --from; what a push does and why stands in docs/manager.md.");
  } finally {
    await lab.close();
  }
}

async function startManager(folder: string): Promise<RunningServices> {
  const { startServices } = await import("../lab/services.js");
  const administrators = ["plumbline", "admin"].map((name) => ({ name, password: name, role: { kind: "superuser" as const } }));
  const firewalls = FIREWALLS.map((name, at) => {
    const serial = SERIALS[at] ?? "";
    return { name, manager: "manager", serial, config: firewallOf(name), administrators };
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
