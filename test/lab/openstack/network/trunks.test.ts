import { expect, it } from "vitest";
import { type Answer, lab, login } from "../support.js";

const refused = ({ status, json }: Answer): string => `${status} ${json.NeutronError.type}`;

it("trunks accept no port of a server, nor one of a network with larger packets, and belong to their project only", async () => {
  const { lab: cloud } = await lab();
  const [demo, other] = [await login(cloud), await login(cloud, "other")];
  const network = async (mtu: number) => (await demo.network("POST", "/networks", { network: { name: "n", mtu } })).json.network.id;
  const [small, large] = [await network(1400), await network(1450)];
  const port = async (network_id: string, more = {}) =>
    (await demo.network("POST", "/ports", { port: { network_id, ...more } })).json.port.id;
  const parent = await port(small);
  const sub = async (port_id: string): Promise<Answer> => {
    const sub_ports = [{ port_id, segmentation_type: "vlan", segmentation_id: 10 }];
    return await demo.network("POST", "/trunks", { trunk: { port_id: parent, sub_ports } });
  };
  expect(refused(await sub(await port(large)))).toBe("409 SubPortMtuGreaterThanTrunkPortMtu");
  expect(refused(await sub(await port(small, { device_id: "x", device_owner: "compute:x" })))).toBe("409 PortInUse");
  const { trunk } = (await sub(await port(small))).json;
  expect(trunk).toMatchObject({ status: "DOWN", admin_state_up: true, port_id: parent, tags: [] });
  expect(refused(await other.network("PUT", `/trunks/${trunk.id}/add_subports`, { sub_ports: [] }))).toBe("404 TrunkNotFound");
  expect((await demo.network("GET", `/trunks/${trunk.id}/get_subports`)).json.sub_ports).toEqual(trunk.sub_ports);
  expect((await demo.network("DELETE", `/trunks/${trunk.id}`)).status).toBe(204);
  expect((await demo.network("DELETE", `/ports/${parent}`)).status).toBe(204);
});
