import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { document, Repository } from "../harness/repository.js";
import type { Session } from "../harness/session.js";

const UP = `networks: { outer: { subnets: { outer-a: { cidr: 192.0.2.0/24 } } }, red: {} }
ports: { up: { network: outer }, red: { network: red }, blue: { network: red } }
servers: { fw: { image: cirros, flavor: m1.tiny, networks: [{ port: up }] } }
`;
const trunk = (said: string) => `${UP}trunks: { uplink: { port: up, tags: [edge], ${said} } }\n`;
const BOTH = trunk("description: ours, sub_ports: [{ port: red, segmentation_id: 10 }, { port: blue, segmentation_id: 20 }]");

const trunkNamed = (user: Session, name: string) => user.named("network", "/v2.0/trunks", "trunks", name);

const vlansOf = ({ sub_ports }: { sub_ports: { segmentation_id: number }[] }) =>
  sub_ports.map(({ segmentation_id }) => segmentation_id).sort((a, b) => a - b);

onEachCloud("trunks", (open) => {
  it("are created before the server on their port, changed, healed and removed", async () => {
    const { user, ...rig } = await open();
    const repository = Repository.create({ user, ...rig }, { "cloud/main.yaml": document(BOTH) });
    const reconciled = async (...words: string[]): Promise<void> => {
      const done = await repository.plumbline("reconcile", ...words);
      expect(done, done.err + done.out).toMatchObject({ code: 0 });
      const plan = await repository.plumbline("plan");
      expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
    };
    await reconciled();
    const made = await trunkNamed(user, "uplink");
    expect(made).toMatchObject({ description: "ours", admin_state_up: true, sub_ports: expect.any(Array) });
    expect(vlansOf(made)).toEqual([10, 20]);

    const [gone] = made.sub_ports;
    await user.demand("network", "PUT", `/v2.0/trunks/${made.id}/remove_subports`, { sub_ports: [{ port_id: gone.port_id }] });
    await user.demand("network", "PUT", `/v2.0/trunks/${made.id}`, { trunk: { admin_state_up: false, description: "theirs" } });
    const drift = await repository.plumbline("drift");
    expect(drift, drift.err + drift.out).toMatchObject({ code: 2, out: expect.stringContaining("theirs") });
    await reconciled();
    expect(vlansOf(await trunkNamed(user, "uplink"))).toEqual([10, 20]);

    repository.declare(
      trunk("admin_state_up: false, sub_ports: [{ port: red, segmentation_id: 20 }, { port: blue, segmentation_id: 30 }]"),
    );
    await reconciled();
    expect(await trunkNamed(user, "uplink")).toMatchObject({ id: made.id, description: "", admin_state_up: false });
    repository.declare(UP);
    const used = await repository.plumbline("reconcile", "--allow", "empty-list=5");
    expect(used.code, used.err + used.out).not.toBe(0);
    expect(used.err + used.out).toContain("A server has the port of the trunk");
    repository.declare("networks: { last: {} }");
    await reconciled("--allow", "empty-list=5", "--allow", "deletes=100%");
    expect(await user.list("network", "/v2.0/trunks", "trunks")).toEqual([]);
  });

  it("are refused with the service's text", async () => {
    const { user } = await open();
    const { network } = await user.demand("network", "POST", "/v2.0/networks", { network: { name: "n" } });
    const port = async () => (await user.demand("network", "POST", "/v2.0/ports", { port: { network_id: network.id } })).port.id;
    const [parent, one, other, free] = [await port(), await port(), await port(), await port()];
    const vlan = (port_id: string, segmentation_id: unknown = 10, segmentation_type = "vlan") => ({
      port_id,
      segmentation_id,
      segmentation_type,
    });
    const said = async (method: string, path: string, body?: object) => {
      const { status, json } = await user.request("network", method, `/v2.0/${path}`, body);
      return status < 300 ? String(status) : `${status} ${json.NeutronError.type}`;
    };
    const create = (port_id: string, ...sub_ports: object[]) => said("POST", "trunks", { trunk: { port_id, sub_ports } });
    expect(await create(parent, vlan(one), vlan(one, 11))).toBe("400 HTTPBadRequest");
    expect(await create(parent, vlan(one), vlan(other))).toBe("400 HTTPBadRequest");
    expect(await create(parent, vlan(one, 4095))).toBe("400 InvalidInput");
    expect(await create(parent, vlan(one, 10, "gre"))).toBe("400 InvalidInput");
    expect(await create(parent, vlan(parent))).toBe("409 ParentPortInUse");
    const { trunk: made } = await user.demand("network", "POST", "/v2.0/trunks", { trunk: { port_id: parent, sub_ports: [vlan(one)] } });
    const at = `trunks/${made.id}`;
    const change = (action: string, ...sub_ports: object[]) => said("PUT", `${at}/${action}_subports`, { sub_ports });
    expect(await create(parent)).toBe("409 ParentPortInUse");
    expect(await create(one)).toBe("409 TrunkPortInUse");
    expect(await create(free, vlan(one, 11))).toBe("409 TrunkPortInUse");
    expect(await change("add", vlan(one, 11))).toBe("409 TrunkPortInUse");
    expect(await change("add", vlan(other))).toBe("409 DuplicateSubPort");
    expect(await change("add", vlan(other, 0))).toBe("400 InvalidInput");
    expect(await change("add", { port_id: other, segmentation_id: 12 })).toBe("400 InvalidInput");
    expect(await change("remove", { port_id: other })).toBe("404 SubPortNotFound");
    expect([await said("DELETE", `ports/${one}`), await said("DELETE", `ports/${parent}`)]).toEqual([
      "409 PortInUseAsSubPort",
      "409 PortInUseAsTrunkParent",
    ]);
    expect(await said("PUT", at, { trunk: { port_id: free } })).toBe("400 HTTPBadRequest");
    expect(await said("PUT", at, { trunk: { sub_ports: [] } })).toBe("400 HTTPBadRequest");
    const added = await user.demand("network", "PUT", `/v2.0/${at}/add_subports`, { sub_ports: [vlan(other, 12)] });
    expect(added).toMatchObject({ id: made.id, sub_ports: expect.arrayContaining([vlan(one), vlan(other, 12)]) });
    const { port: shown } = await user.demand("network", "GET", `/v2.0/ports/${parent}`);
    expect(shown.trunk_details).toMatchObject({ trunk_id: made.id, sub_ports: expect.any(Array) });
    expect(Object.keys(shown.trunk_details.sub_ports[0]).sort()).toEqual(
      "mac_address port_id segmentation_id segmentation_type".split(" "),
    );
    expect(await said("PUT", at, { trunk: { admin_state_up: false } })).toBe("200");
    expect([await change("remove", { port_id: one }), await change("add", vlan(free, 13)), await said("DELETE", at)]).toEqual(
      Array(3).fill("409 TrunkDisabled"),
    );
    expect(await said("PUT", at, { trunk: { admin_state_up: true, name: "t" } })).toBe("200");
    expect([await change("remove", { port_id: one }), await said("DELETE", at)]).toEqual(["200", "204"]);
  });
});
