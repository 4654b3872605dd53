import { expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { startLab } from "../../../../src/lab/lab.js";
import { unimportedInterfaces } from "../../../../src/lab/panos/references/imports.js";
import { afterTest } from "../../../after-test.js";
import { oneCertificate } from "../../../one-certificate.js";
import { admin, DEVICE, finishJobs } from "../support.js";

const members = (...names: string[]): string => names.map((name) => `<member>${name}</member>`).join("");
const device = (imports: string, network: string): string =>
  `<devices><entry name="localhost.localdomain"><network>${network}</network><vsys><entry name="vsys1"><import><network><interface>${imports}</interface></network></import></entry></vsys></entry></devices>`;
const ROUTER = `<virtual-router><entry name="default"><interface>${members("ethernet1/1", "ethernet1/8")}</interface></entry></virtual-router>`;
const TUNNEL = '<tunnel><ipsec><entry name="t"><tunnel-interface>tunnel.5</tunnel-interface></entry></ipsec></tunnel>';
const inTemplate = (text: string): string =>
  `<devices><entry name="localhost.localdomain"><template><entry name="T"><config>${text}</config></entry></template></entry></devices>`;
const found = (text: string): string[] => unimportedInterfaces(parseXml(`<config>${text}</config>`));

it.each([
  ["a firewall", (text: string): string => text],
  ["a template of a manager", inTemplate],
])("a commit misses the imports of interfaces in routers and tunnels of %s", (_, around) => {
  expect(found(around(device(members("ethernet1/1"), ROUTER + TUNNEL)))).toEqual([
    "network -> virtual-router -> default -> interface 'ethernet1/8' is not a valid reference",
    "network -> tunnel -> ipsec -> t -> tunnel-interface 'tunnel.5' is not a valid reference",
  ]);
  expect(found(around(device(members("ethernet1/1", "ethernet1/8", "tunnel.5"), ROUTER + TUNNEL)))).toEqual([]);
  expect(found(around(device("", ROUTER)))).toEqual([]);
});

it("a commit with such a router fails, and passes after the import", async () => {
  const { client, clock } = await admin();
  const network = `${DEVICE}/network`;
  await client.config("set", `${network}/interface/ethernet`, "<entry name='ethernet1/8'><layer3/></entry>");
  await client.config("set", `${network}/virtual-router/entry[@name='new']/interface`, members("ethernet1/8"));
  const commit = async (): Promise<readonly string[]> => {
    await client.commit();
    finishJobs(client.state, clock);
    return client.state.commits.at(-1)?.lines ?? [];
  };
  expect((await commit()).join()).toContain("network -> virtual-router -> new -> interface 'ethernet1/8' is not a valid reference");
  await client.config("set", `${DEVICE}/vsys/entry[@name='vsys1']/import/network/interface`, members("ethernet1/8"));
  expect(await commit()).toEqual(["Configuration committed successfully"]);
});

it("a manager refuses an interface in a template's zone that the vsys of the template does not import", async () => {
  const lab = await startLab({
    certificate: await oneCertificate(),
    devices: [{ config: `<config>${inTemplate(device(members("ethernet1/1"), ""))}</config>` }],
  });
  afterTest(() => lab.close());
  const vsys = `${DEVICE}/template/entry[@name='T']/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']`;
  const zone = (name: string) =>
    lab.device.act("admin", {
      type: "config",
      action: "set",
      xpath: `${vsys}/zone`,
      element: `<entry name="z"><network><layer3>${members(name)}</layer3></network></entry>`,
    });
  expect(zone("ethernet1/8").message).toContain("'ethernet1/8' is not a valid reference");
  expect(zone("$inside").status).toBe("success");
  expect(zone("ethernet1/1").status).toBe("success");
});
