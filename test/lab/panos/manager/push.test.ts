import { describe, expect, it } from "vitest";
import { setConnected } from "../../../../src/lab/panos/manager/push.js";
import { type Client, find, lab, login } from "../support.js";
import { managed, namesIn, pushOf, SERIALS } from "./managed-lab.js";

const { a, b, c } = SERIALS;

async function start(options = {}) {
  const { lab: running, clock } = await lab(...managed(options));
  const [manager, ...firewalls] = running.devices;
  if (manager === undefined) throw new Error("no manager");
  const client = await login(manager);
  const device = (name: string) => {
    const found = firewalls.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no firewall ${name}`);
    return found.state;
  };
  return { running, clock, client, device, firewalls };
}

const send = (client: Client, cmd: string) => client.send({ type: "commit", action: "all", cmd });

/** The rows of a push's job: serial, status, result. */
async function rowsOf(client: Client, id: string) {
  const { root } = await client.op(`<show><jobs><id>${id}</id></jobs></show>`);
  const job = find(root, "result", "job");
  const text = (...tags: string[]) => (job === undefined ? undefined : find(job, ...tags)?.text);
  const rows = (job === undefined ? undefined : find(job, "devices"))?.children.map((entry) =>
    ["serial-no", "status", "result"].map((tag) => find(entry, tag)?.text).join(" "),
  );
  return { type: text("type"), status: text("status"), result: text("result"), tfin: text("tfin"), rows };
}

async function pushed(client: Client, cmd: string): Promise<string> {
  const { root, text } = await send(client, cmd);
  const id = find(root, "result", "job")?.text;
  if (id === undefined) throw new Error(text);
  return id;
}

const status = async (client: Client) => {
  const { root } = await client.op("<show><devicegroups/></show>");
  return (find(root, "result", "devicegroups")?.children ?? []).flatMap((group) =>
    (find(group, "devices")?.children ?? []).flatMap((entry) => {
      const systems = find(entry, "vsys")?.children ?? [];
      return (systems.length === 0 ? [entry] : systems).map((each) => `${entry.name} ${find(each, "shared-policy-status")?.text}`);
    }),
  );
};

describe("a push of a manager", () => {
  it("ends before its firewalls do, which are listed in it from then on", async () => {
    const { client, clock } = await start();
    const id = await pushed(client, pushOf({ branch: [] }));
    expect(await rowsOf(client, id)).toEqual({ type: "CommitAll", status: "ACT", result: "PEND", tfin: "Still Active", rows: undefined });
    const stopped = client.device.act("admin", { type: "op", cmd: `<clear><job><id>${id}</id></job></clear>` });
    expect(stopped.message).toContain("cannot be stopped");
    clock.advance(20);
    const sent = await rowsOf(client, id);
    expect(sent).toMatchObject({
      status: "FIN",
      result: "OK",
      rows: [`${a} config sent to device PEND`, `${b} config sent to device PEND`],
    });
    clock.advance(20);
    expect((await rowsOf(client, id)).rows).toEqual([`${a} commit succeeded OK`, `${b} commit succeeded OK`]);
    expect(await status(client)).toEqual([`${a} In Sync`, `${b} In Sync`, `${c} Out of Sync`, `${c} Out of Sync`]);
  });

  it("is described before by push-scope: pending changes and their authors", async () => {
    const { client, clock } = await start();
    const waiting = async (more = "") => {
      const { root } = await client.op(`<show><config><push-scope>${more}</push-scope></config></show>`);
      return (find(root, "result", "objects")?.children ?? []).map(
        ({ attributes }) => `${attributes?.get("loc-type")} ${attributes?.get("loc")}`,
      );
    };
    expect(await waiting()).toEqual([
      "device-group branch",
      "device-group plants",
      "template-stack branches",
      "template-stack plants-stack",
    ]);
    await pushed(client, pushOf({ branch: [], plants: [] }));
    clock.advance(1000);
    await client.op("<show><jobs><all/></jobs></show>");
    expect(await waiting()).toEqual([]);
    const at = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='plants']/tag";
    await client.send({ type: "config", action: "set", xpath: at, element: "<entry name='new'/>" });
    await client.send({ type: "commit", cmd: "<commit/>" });
    clock.advance(1000);
    await client.op("<show><jobs><all/></jobs></show>");
    expect(await waiting()).toEqual(["device-group plants"]);
    expect(await waiting("<admin><member>admin</member></admin>")).toEqual(["device-group plants"]);
    expect(await waiting("<admin><member>nobody</member></admin>")).toEqual([]);
  });

  it("reaches no firewall of a child group, and is done without any", async () => {
    const { client, clock, device } = await start();
    const id = await pushed(client, pushOf({ all: [] }));
    clock.advance(100);
    expect(await rowsOf(client, id)).toMatchObject({ status: "FIN", result: "OK", rows: [] });
    expect(device("a").received).toEqual([]);
  });

  it("includes several groups, and of each the named firewalls", async () => {
    const { client, clock } = await start();
    const id = await pushed(client, pushOf({ branch: [b], plants: [] }));
    clock.advance(100);
    expect((await rowsOf(client, id)).rows).toEqual([`${b} commit succeeded OK`, `${c} commit succeeded OK`]);
    expect(client.state.pushes).toMatchObject([{ serials: [b, c], kind: "shared-policy" }]);
    expect(await status(client)).toEqual([`${a} Out of Sync`, `${b} In Sync`, `${c} In Sync`, `${c} In Sync`]);
  });

  it("changes nothing if it only validates", async () => {
    const { client, clock } = await start();
    const id = await pushed(client, pushOf({ branch: [] }, "<validate-only>yes</validate-only>"));
    clock.advance(100);
    expect(await rowsOf(client, id)).toMatchObject({ type: "ValidateAll", rows: [`${a} commit succeeded OK`, `${b} commit succeeded OK`] });
    expect(await status(client)).toContain(`${a} Out of Sync`);
  });

  it("reports a disconnected firewall, and does not send later", async () => {
    const { client, clock, device } = await start({ panorama: { pushWords: { notConnected: "PEND" } } });
    setConnected(device("a"), false);
    const id = await pushed(client, pushOf({ branch: [] }));
    clock.advance(100);
    expect((await rowsOf(client, id)).rows).toEqual([`${a} not connected PEND`, `${b} commit succeeded OK`]);
    setConnected(device("a"), true);
    clock.advance(100_000);
    expect(device("a").received).toEqual([]);
    expect(await status(client)).toContain(`${a} Out of Sync`);
  });

  it("gets the result of a firewall that disconnected in the meantime when it reconnects", async () => {
    const { client, clock, device } = await start();
    const id = await pushed(client, pushOf({ branch: [a] }));
    clock.advance(30);
    setConnected(device("a"), false);
    clock.advance(1000);
    expect((await rowsOf(client, id)).rows).toEqual([`${a} config sent to device PEND`]);
    setConnected(device("a"), true);
    expect((await rowsOf(client, id)).rows).toEqual([`${a} commit succeeded OK`]);
  });

  it("has firewalls that refuse, are slow, never answer, are omitted, or revert", async () => {
    const { client, clock, device } = await start();
    const attachment = (name: string) => device(name).attachment ?? expect.fail();
    attachment("a").trouble = { kind: "fails", lines: ["Validation Error:", "Commit failed"] };
    attachment("b").trouble = { kind: "slow", duration: 5000 };
    attachment("c").trouble = { kind: "never-answers" };
    const id = await pushed(client, pushOf({ branch: [], plants: [] }));
    clock.advance(1000);
    expect((await rowsOf(client, id)).rows).toEqual([
      `${a} commit failed FAIL`,
      `${b} config sent to device PEND`,
      `${c} config sent to device PEND`,
    ]);
    clock.advance(10_000);
    expect((await rowsOf(client, id)).rows).toEqual([
      `${a} commit failed FAIL`,
      `${b} commit succeeded OK`,
      `${c} config sent to device PEND`,
    ]);
    attachment("a").trouble = { kind: "left-out" };
    attachment("b").trouble = { kind: "reverts" };
    expect((await client.config("set", "/config/shared/tag", "<entry name='x'/>")).code).toBe("20");
    await client.commit();
    clock.advance(1000);
    const again = await pushed(client, pushOf({ branch: [] }));
    clock.advance(1000);
    expect((await rowsOf(client, again)).rows).toEqual([`${b} commit succeeded OK`]);
    expect(await status(client)).toContain(`${b} Out of Sync`);
  });

  it("fails at a locked firewall, and at one with a conflicting object or without a zone", async () => {
    const { client, clock, firewalls, device } = await start();
    const [first, second] = firewalls;
    if (first === undefined || second === undefined) throw new Error("firewalls");
    const local = await login(first);
    await local.op("<request><config-lock><add><comment>mine</comment></add></config-lock></request>");
    await (await login(second)).config(
      "set",
      "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address",
      "<entry name='proxy'><ip-netmask>10.0.0.1</ip-netmask></entry>",
    );
    await (await login(second)).commit();
    clock.advance(100);
    const id = await pushed(client, pushOf({ branch: [] }));
    clock.advance(100);
    expect((await rowsOf(client, id)).rows).toEqual([`${a} commit failed FAIL`, `${b} commit failed FAIL`]);
    expect(device("b").received.at(-1)?.lines).toContain("address -> proxy 'proxy' is already in use");
    await local.op("<request><config-lock><remove/></config-lock></request>");
    const bare = await pushed(client, pushOf({ branch: [a] }, "<include-template>no</include-template>"));
    clock.advance(100);
    expect((await rowsOf(client, bare)).rows).toEqual([`${a} commit failed FAIL`]);
    expect(device("a").received.at(-1)?.lines[0]).toMatch(/In VSYS vsys1 from zone inside of type unknown/);
  });

  it("includes uncommitted changes of a firewall, unless excluded", async () => {
    const { client, clock, firewalls, device } = await start();
    const [first] = firewalls;
    if (first === undefined) throw new Error("firewalls");
    const local = await login(first);
    const tag = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/tag";
    await local.config("set", tag, "<entry name='half made'/>");
    await pushed(client, pushOf({ branch: [a] }, "<merge-with-candidate-cfg>no</merge-with-candidate-cfg>"));
    clock.advance(100);
    expect((await local.config("show", tag)).text).not.toContain("half made");
    await pushed(client, pushOf({ branch: [a] }));
    clock.advance(100);
    expect((await local.config("show", tag)).text).toContain("half made");
    expect(device("a").candidate.pending).toEqual([]);
  });

  it.each(["no", "yes"])("keeps local values of a firewall in place of its template's, unless forced: %s", async (forced) => {
    const { client, clock, firewalls, device } = await start();
    const [first] = firewalls;
    if (first === undefined) throw new Error("firewalls");
    const local = await login(first);
    const entry = "/config/devices/entry[@name='localhost.localdomain']";
    const zone = `${entry}/vsys/entry[@name='vsys1']/zone`;
    await local.config(
      "set",
      zone,
      "<entry name='inside'><network><layer2/></network></entry><entry name='own'><network><layer3/></network></entry>",
    );
    await local.config("set", `${entry}/deviceconfig/system`, "<domain>mine.example</domain><timezone>UTC</timezone>");
    await local.commit();
    clock.advance(100);
    await local.config("set", `${entry}/deviceconfig/system`, "<domain>later.example</domain>");
    const options = `<force-template-values>${forced}</force-template-values><merge-with-candidate-cfg>no</merge-with-candidate-cfg>`;
    await pushed(client, pushOf({ branch: [a] }, options));
    clock.advance(100);
    const shown = async (action: "show" | "get") => {
      const text = (await local.config(action, entry)).text;
      return ["inside", "own", "mine.example", "later.example", "UTC"].filter(
        (each) => text.includes(`>${each}<`) || text.includes(`"${each}"`),
      );
    };
    const kept = forced === "no" ? ["inside"] : [];
    expect(await shown("show")).toEqual([...kept, "own", ...(forced === "no" ? ["mine.example"] : []), "UTC"]);
    expect(await shown("get")).toEqual([...kept, "own", ...(forced === "no" ? ["later.example"] : []), "UTC"]);
    expect(device("a").attachment?.handed.template).toBeDefined();
  });

  it("pushes templates by stack, by template, and with policies unless excluded", async () => {
    const { client, clock } = await start();
    const templateStatus = async () => {
      const { root } = await client.op("<show><template-stack><name>branches</name></template-stack></show>");
      const [stack] = find(root, "result", "template-stack")?.children ?? [];
      return (stack === undefined ? undefined : find(stack, "devices"))?.children.map((entry) => find(entry, "template-status")?.text);
    };
    const through = async (cmd: string) => {
      await pushed(client, cmd);
      clock.advance(100);
      return await templateStatus();
    };
    expect(await through(pushOf({ branch: [] }, "<include-template>no</include-template>"))).toEqual(["Out of Sync", "Out of Sync"]);
    const one = `<commit-all><template-stack><name>branches</name><device><member>${a}</member></device></template-stack></commit-all>`;
    expect(await through(one)).toEqual(["In Sync", "Out of Sync"]);
    expect(await through("<commit-all><template><name>branch-net</name></template></commit-all>")).toEqual(["In Sync", "In Sync"]);
  });

  it("fails at all firewalls with several virtual systems if one of them refuses", async () => {
    const [manager, ...others] = managed();
    const { lab: running, clock } = await lab(
      manager ?? {},
      ...others.map((each) => (each.name === "b" ? { ...each, config: others.at(-1)?.config ?? "" } : each)),
    );
    const [first, , second, third] = running.devices;
    if (first === undefined || third?.state.attachment === undefined) throw new Error("devices");
    third.state.attachment.trouble = { kind: "fails", lines: ["Commit failed"] };
    const client = await login(first);
    const id = await pushed(client, pushOf({ branch: [], plants: [] }));
    clock.advance(100);
    expect((await rowsOf(client, id)).rows).toEqual([`${a} commit succeeded OK`, `${b} commit failed FAIL`, `${c} commit failed FAIL`]);
    expect(second?.state.received).toMatchObject([{ ok: false }]);
  });

  it.each([
    ["<commit-all/>", " commit-all  is missing 'commit-all'"],
    [
      "<commit-all><template><name>branch-net</name><admin><member>x</member></admin></template></commit-all>",
      "commit-all -> template -> admin unexpected here",
    ],
    [pushOf({ nobody: [] }), "commit-all -> shared-policy -> device-group 'nobody' is not a valid reference"],
    [pushOf({ branch: [c] }), `Could not get vsys info for device ${c} in dg branch`],
  ])("refuses %s", async (cmd, words) => {
    const { client } = await start();
    const { status: said, lines } = await send(client, cmd);
    expect(said).toBe("error");
    expect(lines[0]).toBe(words.trim());
  });
});

describe("a firewall of a manager", () => {
  it("is read through the manager while it is connected", async () => {
    const { client, device } = await start();
    const info = () => client.op("<show><system><info/></system></show>", { target: a });
    expect((await info()).text).toContain("fw-a");
    setConnected(device("a"), false);
    expect(await info()).toMatchObject({ code: "13", lines: [`${a} not connected`] });
    expect(await client.op("<show><system><info/></system></show>", { target: "0099" })).toMatchObject({ lines: ["0099 not connected"] });
  });

  it("shows pushed content, each rule and object of the nearest group that has it", async () => {
    const { client, clock } = await start();
    await pushed(client, pushOf({ branch: [], plants: [] }));
    clock.advance(100);
    const read = async (target: string, vsys = "") =>
      (await client.op(`<show><config><pushed-shared-policy>${vsys}</pushed-shared-policy></config></show>`, { target })).root;
    const one = find(await read(a), "result", "policy", "panorama");
    if (one === undefined) throw new Error("no policy");
    expect(namesIn(find(one, "pre-rulebase", "security", "rules"))).toEqual(["above", "mine", "of a"]);
    expect(namesIn(find(one, "post-rulebase", "security", "rules"))).toEqual(["last of all", "log the rest"]);
    const addresses = find(one, "address")?.children.map(
      (entry) => `${entry.name} ${find(entry, "ip-netmask")?.text} ${entry.attributes?.get("loc")}`,
    );
    expect(addresses).toEqual(["proxy 192.0.2.3 offices", "dns 192.0.2.53 shared"]);
    const other = find(await read(b), "result", "policy", "panorama", "pre-rulebase", "security", "rules");
    expect(namesIn(other)).toEqual(["above", "mine"]);
    expect(namesIn(find(await read(c), "result", "shared", "address"))).toEqual(["dns", "proxy"]);
    expect(namesIn(find(await read(c, "<vsys>vsys2</vsys>"), "result", "policy", "panorama", "address"))).toEqual(["proxy"]);
    const { text } = await client.op("<show><config><pushed-template/></config></show>", { target: b });
    expect(text).toContain("<domain>b.example.net</domain>");
  });

  it("has the highest objects if ancestors take precedence", async () => {
    const { client, clock } = await start({ panorama: { projection: { precedence: "ancestors", leavesOutTargeted: false } } });
    await pushed(client, pushOf({ branch: [b] }));
    clock.advance(100);
    const { text } = await client.op("<show><config><pushed-shared-policy/></config></show>", { target: b });
    expect(text).toContain("192.0.2.1<");
    expect(text).toContain('"of a"');
  });
});
