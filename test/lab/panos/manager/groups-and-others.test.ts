import { describe, expect, it } from "vitest";
import { ADDRESS, type Client, DEVICE, find, finishJobs, lab, login } from "../support.js";
import { MANAGER, managed, SERIALS } from "./managed-lab.js";

async function start() {
  const collectors = MANAGER.replace(
    "</shared>",
    '</shared><panorama><log-collector-group><entry name="east"/></log-collector-group></panorama>',
  );
  const { lab: running, clock } = await lab(...managed({ config: collectors }));
  const client = await login(running.device);
  const finish = () => finishJobs(client.state, clock);
  const firewall = (name: string) => running.devices.find((each) => each.name === name)?.state;
  return { client, clock, finish, firewall };
}

const hierarchy = async (client: Client) => {
  const { text } = await client.op("<show><dg-hierarchy/></show>");
  return text
    .replace(/^.*<dg-hierarchy>|<\/dg-hierarchy>.*$/g, "")
    .replace(/<dg name="(\w+)"[^>]*>/g, "$1(")
    .replaceAll("</dg>", ")");
};

const move = (client: Client, group: string, parent?: string) =>
  client.op(
    `<request><move-dg><entry name="${group}">${parent === undefined ? "" : `<new-parent-dg>${parent}</new-parent-dg>`}</entry></move-dg></request>`,
  );

const push = (client: Client, body: string) => client.send({ type: "commit", action: "all", cmd: `<commit-all>${body}</commit-all>` });

describe("moving a device group", () => {
  it("places it when the job has ended, and it inherits from its new parents once that is committed", async () => {
    const { client, finish } = await start();
    const reply = await move(client, "branch", "plants");
    expect(find(reply.root, "result", "job")?.text).toMatch(/^\d+$/);
    expect(await hierarchy(client)).toBe("all(offices(branch())plants())");
    finish();
    expect(await hierarchy(client)).toBe("all(offices()plants(branch()))");
    const tagsOf = async () =>
      (await client.op("<show><devicegroups><name>branch</name></devicegroups></show>")).text.match(/md5sum>(\w+)/)?.[1];
    const before = await tagsOf();
    await client.commit();
    finish();
    expect(client.state.commits).toMatchObject([{ ok: true, edits: [{ action: "set" }] }]);
    expect(await tagsOf()).not.toBe(before);
  });

  it("places it directly below shared with no parent, and with an empty one; an existing place is no change", async () => {
    const { client, finish } = await start();
    await move(client, "offices");
    await move(client, "all", "");
    finish();
    expect(await hierarchy(client)).toBe("all(plants())offices(branch())");
    expect(client.state.candidate.pending).toHaveLength(1);
  });

  it("refuses a place below itself or below a missing group", async () => {
    const { client } = await start();
    for (const [group, parent] of [
      ["all", "branch"],
      ["all", "all"],
      ["branch", "nobody"],
      ["nobody", "all"],
    ] as const)
      expect([group, parent, (await move(client, group, parent)).code]).toEqual([group, parent, "17"]);
    expect(client.state.jobs.open().filter(({ type }) => type === "MoveDG")).toEqual([]);
  });

  it("is refused while an administrator locks the group", async () => {
    const { client } = await start();
    const { locks } = client.state;
    locks.add({ kind: "config", scope: "branch", owner: "other", comment: "", created: 0 });
    expect(await move(client, "branch", "plants")).toMatchObject({ status: "error", code: "13" });
  });

  it("hides objects of former parents: a commit reports it, and so does a write", async () => {
    const { client, finish } = await start();
    const groups = `${DEVICE}/device-group`;
    const set = (name: string, member: string) =>
      client.config(
        "set",
        `${groups}/entry[@name='branch']/address-group/entry[@name='${name}']`,
        `<static><member>${member}</member></static>`,
      );
    await client.config("set", `${groups}/entry[@name='offices']/address/entry[@name='printer']`, "<ip-netmask>192.0.2.9</ip-netmask>");
    expect((await set("near", "printer")).status).toBe("success");
    await client.commit();
    finish();
    await move(client, "branch", "plants");
    finish();
    expect(await set("far", "printer")).toMatchObject({ status: "error", code: "12" });
    await client.commit();
    finish();
    expect(client.state.commits.map(({ ok }) => ok)).toEqual([true, false]);
  });
});

describe("a commit of groups", () => {
  it("excludes other groups, and templates only if it requests this or names others", async () => {
    const { client, finish } = await start();
    await client.config("set", `${DEVICE}/device-group/entry[@name='branch']/tag/entry[@name='one']`, "<color>color1</color>");
    await client.config("set", `${DEVICE}/device-group/entry[@name='plants']/tag/entry[@name='two']`, "<color>color1</color>");
    await client.config("set", `${DEVICE}/template/entry[@name='plant-net']/variable/entry[@name='$x']/type`, "<fqdn>x.example.net</fqdn>");
    const taken = async (part: string) => {
      await client.commit(`<commit><validate><partial>${part}</partial></validate></commit>`);
      await client.commit(`<commit><partial>${part}</partial></commit>`);
      finish();
      return client.state.commits.at(-1)?.edits.map(({ xpath }) => /^.*@name='([^']*)'/.exec(xpath)?.[1]);
    };
    expect(await taken("<device-group><member>branch</member></device-group><no-template/>")).toEqual(["one"]);
    await client.config("set", `${DEVICE}/device-group/entry[@name='branch']/tag/entry[@name='three']`, "<color>color1</color>");
    expect(await taken("<template><member>branch-net</member></template><no-template-stack/>")).toEqual(["two", "three"]);
    await client.config("set", `${DEVICE}/device-group/entry[@name='plants']/tag/entry[@name='four']`, "<color>color1</color>");
    expect(await taken("<device-group><member>branch</member></device-group>")).toEqual(["$x"]);
  });
});

describe("a push to other systems than firewalls", () => {
  it("to collectors is answered immediately, without a job", async () => {
    const { client } = await start();
    const reply = await push(client, "<log-collector-config><log-collector-group>east</log-collector-group></log-collector-config>");
    expect(reply).toMatchObject({ status: "success", lines: ["Generated config and committed to connected collectors in group east"] });
    expect(reply.text).not.toContain("<job>");
  });

  it("refuses missing targets, and unsupported options", async () => {
    const { client } = await start();
    for (const body of [
      "<log-collector-config><log-collector-group>west</log-collector-group></log-collector-config>",
      "<log-collector-config/>",
      "<log-collector-config><collector-group>east</collector-group></log-collector-config>",
      "<wildfire-appliance-config><wildfire-appliance>one</wildfire-appliance></wildfire-appliance-config>",
      "<wildfire-appliance-config><wildfire-appliance-cluster>one</wildfire-appliance-cluster></wildfire-appliance-config>",
      "<shared-policy><device-group>branch</device-group></shared-policy>",
    ])
      expect([body, (await push(client, body)).code]).toEqual([body, "17"]);
    expect(client.state.pushes).toEqual([]);
  });
});

describe("a firewall through its manager", () => {
  it("accepts configuration and users, and the manager stores none of it", async () => {
    const { client, firewall } = await start();
    await client.send({
      type: "config",
      action: "set",
      xpath: `${ADDRESS}/entry[@name='own']`,
      element: "<ip-netmask>192.0.2.9</ip-netmask>",
      target: SERIALS.a,
    });
    const cmd = '<uid-message><type>update</type><payload><login><entry name="kim" ip="192.0.2.7"/></login></payload></uid-message>';
    expect((await client.send({ type: "user-id", cmd, target: SERIALS.a })).status).toBe("success");
    const users = (device: typeof client.state | undefined) => device?.userMappings.users.size;
    expect([firewall("a")?.candidate.pending.length, client.state.candidate.pending.length]).toEqual([1, 0]);
    expect([users(firewall("a")), users(client.state)]).toEqual([1, 0]);
  });
});
