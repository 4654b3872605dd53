import type { TargetConfiguration } from "../../src/desired/configuration/configuration.js";
import type { Writers } from "../../src/engine/pass/options.js";
import { openstackGuards } from "../../src/targets/openstack/guards.js";
import { OpenstackReader } from "../../src/targets/openstack/reader.js";
import { OpenstackWriter } from "../../src/targets/openstack/writer.js";
import type { OpenstackTargetConfiguration } from "../../src/targets/openstack-client/configuration.js";
import type { OpenstackDependencies } from "../../src/targets/openstack-client/dependencies.js";
import type { Chance } from "./chance.js";
import type { Cloud, Standing } from "./cloud.js";
import { configurationOf } from "./documents.js";
import type { Scheduler } from "./scheduler.js";
import type { Entries, Script } from "./script.js";

const LISTS: Readonly<Record<string, Standing["list"]>> = { n: "networks", g: "security_groups", s: "servers" };

/** The list of an object. Names start with the letter of their list. */
export function listOf(name: string): Standing["list"] {
  return LISTS[name[0] ?? ""] ?? "networks";
}

/** `plumbline.yaml` of a cloud. */
export function cloudConfiguration(script: Pick<Script, "ledger">): string {
  return configurationOf(script, "kind: openstack, cloud: lab, mode: enforce, takeoverAfter: 120");
}

/** The only document: networks and groups with a description, and servers on the existing network. */
export function cloudDocument(entries: Entries): string {
  const rows = Object.entries(entries);
  const lists = (["networks", "security_groups", "servers"] as const).flatMap((list) => {
    const of = rows.filter(([name]) => listOf(name) === list);
    const said = (value: string) => (list === "servers" ? SERVER : `{ description: "${value}" }`);
    return of.length === 0 ? [] : [`  ${list}:`, ...of.map(([name, value]) => `    ${name}: ${said(value)}`)];
  });
  return ["target: edge", "scope: project", "config:", ...lists, ""].join("\n");
}

const SERVER = "{ image: cirros, flavor: m1.tiny, networks: [{ network: private }] }";

/** The readers and writers as they are, over the modelled wire. Each connection is a source of its own. */
export function cloudConnections(cloud: Cloud, scheduler: Scheduler, chance: Chance): Writers {
  const dependencies = (): OpenstackDependencies => ({
    clock: { now: () => scheduler.now, sleep: (milliseconds) => scheduler.wait(milliseconds) },
    random: () => chance.next(),
    logger: { debug: () => undefined, warn: () => undefined },
    dispatcher: cloud.dispatcher(scheduler.process?.name ?? "nobody"),
    environment: {
      OS_AUTH_URL: cloud.authUrl,
      OS_USERNAME: "demo",
      OS_PASSWORD: "secret",
      OS_PROJECT_NAME: "demo",
      OS_USER_DOMAIN_NAME: "Default",
      OS_PROJECT_DOMAIN_NAME: "Default",
    },
    home: "/nowhere",
    workingFolder: "/nowhere",
  });
  const settings = (configuration: TargetConfiguration): OpenstackTargetConfiguration => ({
    ...SETTINGS,
    ...configuration,
    tls: SETTINGS.tls,
    timeout: SETTINGS.timeout,
    cloud: undefined,
    kind: "openstack",
  });
  return {
    reader: (configuration: TargetConfiguration) => new OpenstackReader(settings(configuration), dependencies()),
    writer: (configuration: TargetConfiguration) => new OpenstackWriter(settings(configuration), dependencies()),
    guards: () => openstackGuards,
  };
}

/** Reports of `plumbline pause` that the state of the target is unknown. */
const SETTINGS = {
  access: { endpoints: new Map<string, string>() },
  tls: { insecure: false },
  folder: "/nowhere",
  references: [],
  timeout: 30,
  createSettle: 30,
  concurrency: 10,
  pageSize: undefined,
} as const;
