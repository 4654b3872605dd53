import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { readJson } from "../../core/json/read-json.js";
import type { ContrailLabOptions } from "../../lab/contrail/start.js";
import type { LabOptions } from "../../lab/lab.js";
import type { OpenstackLabOptions } from "../../lab/openstack/options.js";
import type { Flow } from "../../lab/panos/traffic/flow.js";
import type { Context } from "../context.js";
import type { GlobalOptions } from "../options.js";
import { openSession } from "../terminal.js";

interface Flags extends GlobalOptions {
  readonly from?: string;
  readonly port: number;
  readonly count: number;
  readonly services: string;
  readonly verdictPort?: number;
  readonly readyFile?: string;
  readonly specOnly: boolean;
  readonly flows?: string;
}

const SERVICES = ["firewall", "verdict", "identity", "network", "compute", "controller"] as const;
/** These services form one cloud: each needs the others. */
const CLOUD: readonly Service[] = ["identity", "network", "compute"];
type Service = (typeof SERVICES)[number];

/** Runs the lab until the user stops it. Returns the exit code. */
export async function lab(flags: Flags, context: Context): Promise<number> {
  const wanted = servicesOf(flags.services);
  const { paint } = openSession(flags, context);
  const readyFile =
    flags.readyFile === undefined
      ? join(mkdtempSync(join(tmpdir(), "plumbline-lab-")), "ready.json")
      : resolve(context.folder, flags.readyFile);
  const ca = join(dirname(readyFile), "ca.pem");
  const { startServices } = await import("../../lab/services.js");
  const running = await startServices({
    firewall: wanted.has("firewall") ? await firewallOptions(flags, context) : undefined,
    verdict: wanted.has("verdict") ? { port: verdictPort(flags, wanted) } : undefined,
    cloud: CLOUD.some((service) => wanted.has(service)) ? cloudOptions(flags) : undefined,
    controller: wanted.has("controller") ? controllerOptions(flags) : undefined,
    readyFile,
  });
  try {
    for (const { name, url } of running.firewall?.devices ?? [])
      context.stdout.write(`${paint("bold", name)}  ${url}/api/  admin / admin\n`);
    const [firewall] = running.firewall?.devices ?? [];
    if (firewall !== undefined) context.stdout.write(`  export ${variablesOf(firewall.url, ca)}\n`);
    if (running.verdict !== undefined) {
      const { url, state } = running.verdict;
      context.stdout.write(`${paint("bold", "verdict")}  ${url}/publicapi/get/verdicts\n`);
      context.stdout.write(
        `  export PLUMBLINE_VERDICT_URL=${url} PLUMBLINE_VERDICT_CA=${ca} PLUMBLINE_VERDICT_KEY=${[...state.keys][0]}\n`,
      );
    }
    for (const [name, url] of Object.entries(running.cloud?.urls ?? {}))
      context.stdout.write(`${paint("bold", name)}  ${url}${name === "identity" ? "  demo / secret, project demo" : ""}\n`);
    if (running.cloud !== undefined) context.stdout.write(`  export ${loginOf(running.cloud.authUrl)}\n`);
    if (running.controller !== undefined) context.stdout.write(`${paint("bold", "controller")}  ${running.controller.url}\n`);
    context.stdout.write(`certificate authority  ${ca}\n${paint("dim", "Press Ctrl-C to stop the lab.")}\n`);
    if (!context.stop.aborted) await once(context.stop, "abort");
    return 0;
  } finally {
    await running.close();
  }
}

/** Returns the variables with which a configuration of `plumbline import --xml` reaches the firewall. */
function variablesOf(url: string, ca: string): string {
  const target = "PLUMBLINE_TARGET_FIREWALL";
  return `${target}_URL=${url} ${target}_CA=${ca} PLUMBLINE_USER=admin PLUMBLINE_PASSWORD=admin`;
}

/** Returns the variables of the OpenStack client for the first user of the cloud. */
function loginOf(authUrl: string): string {
  const domains = "OS_USER_DOMAIN_ID=default OS_PROJECT_DOMAIN_ID=default";
  return `OS_AUTH_URL=${authUrl} OS_USERNAME=demo OS_PASSWORD=secret OS_PROJECT_NAME=demo ${domains}`;
}

function servicesOf(list: string): ReadonlySet<Service> {
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !SERVICES.some((service) => service === name));
  if (unknown.length === 0) return new Set(names as Service[]);
  throw new PlumblineError("option-invalid", `The lab has no service "${unknown.join(", ")}".`, {
    next: `Services of this version: ${SERVICES.join(", ")}.`,
  });
}

async function firewallOptions(flags: Flags, context: Context): Promise<LabOptions> {
  const configFile = flags.from === undefined ? {} : { configFile: resolve(context.folder, flags.from) };
  const flows = flags.flows === undefined ? [] : await flowsOf(resolve(context.folder, flags.flows));
  const device = { ...configFile, flows, ...(flags.specOnly ? { capabilities: "spec-only" as const } : {}) };
  return { port: flags.port, devices: Array.from({ length: flags.count }, () => ({ ...device })) };
}

function cloudOptions({ port, specOnly }: Flags): OpenstackLabOptions {
  return { ...(port === 0 ? { ports: "free" } : {}), ...(specOnly ? { compute: { serverBodies: "specification" } } : {}) };
}

function controllerOptions({ port, specOnly }: Flags): ContrailLabOptions {
  return { ...(port === 0 ? { port } : {}), ...(specOnly ? { networkFields: "specification" } : {}) };
}

async function flowsOf(file: string): Promise<Flow[]> {
  const { readFlows } = await import("../../lab/panos/traffic/flow.js");
  try {
    return readFlows(readJson(await readFile(file, "utf8")));
  } catch (error) {
    if (error instanceof PlumblineError) throw error;
    throw new PlumblineError("option-invalid", `--flows: ${error instanceof Error ? error.message : String(error)}`, {
      where: { file },
      next: "Name a file that holds a list of flows as JSON.",
    });
  }
}

const VERDICT_PORT = 8444;

/** Returns the port of the verdict service, which must differ from the firewalls' ports. */
function verdictPort(flags: Flags, wanted: ReadonlySet<Service>): number {
  const port = flags.verdictPort ?? (flags.port === 0 ? 0 : VERDICT_PORT);
  if (port !== 0 && wanted.has("firewall") && port >= flags.port && port < flags.port + flags.count) {
    throw new PlumblineError("option-invalid", `Port ${port} of the verdict service is one of the firewalls' ports.`, {
      next: "Choose another one with --verdict-port.",
    });
  }
  return port;
}
