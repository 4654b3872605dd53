import { expect, it } from "vitest";
import { setConnected } from "../../../../src/lab/panos/manager/push.js";
import { MANAGER, managed, namesIn, SERIALS } from "../manager/managed-lab.js";
import { find, lab, login } from "../support.js";

const { a, b, c } = SERIALS;

async function manager(...devices: Parameters<typeof lab>) {
  const { lab: running } = await lab(...(devices.length === 0 ? managed() : devices));
  return { client: await login(running.device), firewalls: running.devices.slice(1).map(({ state }) => state) };
}

it("lists all known firewalls, and the connected ones", async () => {
  const { client, firewalls } = await manager();
  const [first] = firewalls;
  if (first === undefined) throw new Error("firewalls");
  setConnected(first, false);
  const list = async (which: string) => find((await client.op(`<show><devices><${which}/></devices></show>`)).root, "result", "devices");
  const all = await list("all");
  expect(namesIn(all)).toEqual([a, b, c]);
  expect(all?.children.map((entry) => find(entry, "connected")?.text)).toEqual(["no", "yes", "yes"]);
  const [, , last] = all?.children ?? [];
  expect(last === undefined ? undefined : namesIn(find(last, "vsys"))).toEqual(["vsys1", "vsys2"]);
  expect(namesIn(await list("connected"))).toEqual([b, c]);
});

it("lists a serial that never connected", async () => {
  const { client } = await manager({ config: MANAGER });
  const { text } = await client.op("<show><devices><all/></devices></show>");
  expect(text).toContain(`<entry name="${a}"><serial>${a}</serial><connected>no</connected>`);
});

it("shows groups without firewalls by their sum only, and templates with the firewalls of their stacks", async () => {
  const { client } = await manager();
  const groups = find((await client.op("<show><devicegroups><name>offices</name></devicegroups></show>")).root, "result", "devicegroups");
  expect(groups?.children.map((entry) => entry.children.map(({ tag }) => tag))).toEqual([["shared-policy-md5sum"]]);
  const templates = find((await client.op("<show><templates/></show>")).root, "result", "templates");
  expect(templates?.children.map((entry) => `${entry.name} ${namesIn(find(entry, "devices")).join()}`)).toEqual([
    `branch-net ${a},${b}`,
    `plant-net ${c}`,
  ]);
});

it("shows the members of a pair and their peers", async () => {
  const devices = managed().map((each) => (each.name === "b" ? { ...each, peer: "a" } : each));
  const { client } = await manager(...devices);
  const { text } = await client.op("<show><devices><all/></devices></show>");
  expect(text).toContain(`<ha><state>passive</state><peer><serial>${b}</serial></peer></ha>`);
  expect(text).toContain(`<ha><state>active</state><peer><serial>${a}</serial></peer></ha>`);
});
