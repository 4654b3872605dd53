import { expect, it } from "vitest";
import { admin, DEVICE, find, finishJobs } from "../support.js";

const config = `<config><devices><entry name="localhost.localdomain"><network><interface><ethernet><entry name="ethernet1/1"><layer3><ip><entry name="192.0.2.1/24"/></ip></layer3></entry></ethernet></interface><virtual-router><entry name="default"><interface><member>ethernet1/1</member></interface></entry></virtual-router></network><vsys><entry name="vsys1"/><entry name="vsys2"/></vsys></entry></devices></config>`;
const FLOW = { source: "10.0.0.1", destination: "10.0.0.2", port: 443, application: "ssl", from: "any", to: "any" };

it("counts the sessions of the lab's traffic", async () => {
  const { client, clock } = await admin();
  const count = async (): Promise<string | undefined> => {
    const { root } = await client.op("<show><session><info/></session></show>");
    return find(root, "result", "num-installed")?.text;
  };
  expect(await count()).toBe("0");
  client.state.traffic.add([FLOW]);
  clock.advance(3000);
  expect(Number(await count())).toBeGreaterThan(0);
});

it("meters sessions by the number of the virtual system", async () => {
  const { client } = await admin({ config });
  const { root } = await client.op("<show><session><meter/></session></show>");
  expect(find(root, "result")?.children.map((entry) => find(entry, "vsys")?.text)).toEqual(["1", "2"]);
  expect((await client.op("<show><session><all/></session></show>")).status).toBe("success");
});

it("lists connected and static routes, static ones after a commit", async () => {
  const { client, clock } = await admin({ config });
  const routes = async (): Promise<(string | undefined)[][]> => {
    const { root } = await client.op("<show><routing><route/></routing></show>");
    const entries = find(root, "result")?.children.filter(({ tag }) => tag === "entry") ?? [];
    return entries.map((entry) => ["virtual-router", "destination", "nexthop", "flags", "interface"].map((tag) => find(entry, tag)?.text));
  };
  const connected = ["default", "192.0.2.1/24", "0.0.0.0", "A C", "ethernet1/1"];
  expect(await routes()).toEqual([connected]);
  const route = `${DEVICE}/network/virtual-router/entry[@name='default']/routing-table/ip/static-route`;
  const element =
    "<entry name='r'><destination>0.0.0.0/0</destination><interface>ethernet1/1</interface><nexthop><ip-address>192.0.2.254</ip-address></nexthop></entry>";
  await client.config("set", route, element);
  expect(await routes()).toEqual([connected]);
  await client.commit();
  finishJobs(client.state, clock);
  expect(await routes()).toEqual([connected, ["default", "0.0.0.0/0", "192.0.2.254", "A S", "ethernet1/1"]]);
});
