import { readFileSync } from "node:fs";
import { PlumblineError } from "../../../src/core/errors.js";
import { writeXml } from "../../../src/core/tree/xml/write.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { ReadTarget } from "../../../src/engine/target.js";
import type { HttpDependencies } from "../../../src/http/dependencies.js";
import { startLab as startPanosLab } from "../../../src/lab/panos/start.js";
import type { View } from "../../../src/plan/platform.js";
import { ContrailReader } from "../../../src/targets/contrail/reader.js";
import { OpenstackReader } from "../../../src/targets/openstack/reader.js";
import { openPanosReader } from "../../../src/targets/panos/reader.js";
import type { Allotment } from "../../../src/verdict/allotment.js";
import { VerdictClient } from "../../../src/verdict/client.js";
import { afterTest } from "../../after-test.js";
import * as contrail from "../../targets/contrail/fixtures.js";
import * as openstack from "../../targets/openstack/fixtures.js";
import * as panos from "../../targets/panos/fixtures.js";
import { hashes, world as verdictWorld } from "../../verdict/support.js";

/** A reader of the product. Returns everything that it accepted, as one text. */
export type Subject = (dispatcher: HttpDependencies["dispatcher"]) => Promise<string>;

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const FIREWALL = `<config version="11.1.0"><mgt-config><users><entry name="netops"/></users></mgt-config><shared><tag><entry name="t"><color>color1</color></entry></tag></shared><devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>fw</hostname></system></deviceconfig><vsys><entry name="vsys1"><address><entry name="a"><ip-netmask>192.0.2.1</ip-netmask><tag><member>t</member></tag></entry><entry name="b"><fqdn>b.example.net</fqdn></entry></address><rulebase><security><rules><entry name="r1"><from><member>any</member></from><to><member>any</member></to><source><member>a</member></source><destination><member>b</member></destination><application><member>any</member></application><service><member>any</member></service><action>allow</action></entry></rules></security></rulebase></entry></vsys></entry></devices></config>`;

async function panosSubject(config: string, subtrees: readonly string[]): Promise<Subject> {
  const administrators = ["netops", "alice"].map((name) => ({ name, password: panos.PASSWORD, role: { kind: "superuser" } as const }));
  const lab = await startPanosLab({ devices: [{ name: "edge", config, administrators, plainHttp: true, jobDuration: 0 }] });
  afterTest(() => lab.close());
  const [device] = lab.devices;
  if (device === undefined) throw new Error("no device");
  device.act("alice", {
    type: "config",
    action: "set",
    xpath: "/config/shared/tag/entry[@name='pending']",
    element: "<comments>x</comments>",
  });
  return async (dispatcher) => {
    const reader = openPanosReader(panos.configuration(device.plainUrl ?? ""), { ...panos.dependencies(), dispatcher });
    return await believed(reader, subtrees, ["candidate", "running"]);
  };
}

export const firewall = (): Promise<Subject> =>
  panosSubject(FIREWALL, [`${VSYS}/address`, `${VSYS}/rulebase/security`, "/config/shared/tag"]);

export const manager = (): Promise<Subject> =>
  panosSubject(readFileSync("test/fixtures/manager/panorama.xml", "utf8"), [
    "/config/shared",
    "/config/devices/entry[@name='localhost.localdomain']/device-group",
    "/config/devices/entry[@name='localhost.localdomain']/template",
  ]);

export async function cloud(): Promise<Subject> {
  const { lab } = await openstack.bench();
  return async (dispatcher) => {
    const configuration = openstack.configuration(openstack.demoAccess(lab.authUrl));
    const reader = new OpenstackReader(configuration, { ...openstack.dependencies(), dispatcher });
    return await believed(reader, ["/openstack"], ["running"]);
  };
}

export async function controller(): Promise<Subject> {
  const lab = await contrail.startLab();
  for (const name of ["a", "b"]) lab.world.create("virtual-network", contrail.networkDocument(name, "10.0.0.0/24"));
  return async (dispatcher) => {
    const reader = new ContrailReader(contrail.connection(lab.url), { ...contrail.dependencies(), dispatcher });
    return await believed(reader, ["/contrail"], ["running"]);
  };
}

export async function verdicts(): Promise<Subject> {
  const { service } = await verdictWorld();
  const asked = hashes(8);
  const allotment = {
    require: async () => undefined,
    count: async () => undefined,
    giveBack: async () => undefined,
    spent: async () => new PlumblineError("spent", "none left"),
  };
  return async (dispatcher) => {
    const client = new VerdictClient(service, allotment as unknown as Allotment, { ...panos.dependencies(), dispatcher });
    try {
      return JSON.stringify([...(await client.query(asked))]);
    } finally {
      await client.close();
    }
  };
}

async function believed(reader: ReadTarget, subtrees: readonly string[], views: readonly View[]): Promise<string> {
  try {
    const said: unknown[] = [await reader.open(), [...(await reader.status())]];
    for (const view of views)
      said.push(
        writeXml(
          await reader.read(
            subtrees.map((path) => parsePath(path)),
            view,
          ),
          { secrets: "label" },
        ),
      );
    said.push(await reader.pendingAndLocks?.pending(), await reader.pendingAndLocks?.locks());
    return JSON.stringify(said);
  } finally {
    await reader.close();
  }
}
