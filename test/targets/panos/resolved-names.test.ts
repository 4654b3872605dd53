import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import type { View } from "../../../src/plan/platform.js";
import { PanosClient } from "../../../src/targets/panos/client/client.js";
import { readExternalList, readFqdns, readResolvedNames } from "../../../src/targets/panos/resolved-names.js";
import { configuration, dependencies, result } from "./fixtures.js";
import { scriptedDevice } from "./scripted-device.js";
import { type Table, tableScript } from "./table-device.js";

const RULE = "-".repeat(80);
const table = (...blocks: readonly string[]) =>
  `FQDN Table : Request time 2026-09-22 22:07:46\n${RULE}\n\tIP Address\n${RULE}\n\nVSYS : (using mgmt-obj dnsproxy object)\n\tShared\n\tvsys1\n\n${blocks.join("\n")}`;
const block = (name: string, ...rows: readonly string[]) => `${name}\n${rows.map((row) => `\t${row}\n`).join("")}`;
const four = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}`);
const six = (count: number) => Array.from({ length: count }, (_, at) => `2001:db8::${at + 1}`);

/** Names with the number of their addresses and whether these are all. */
const read = (text: string, systems: readonly string[] = ["vsys1"]) => {
  const found = readFqdns(text, systems);
  return found && Object.fromEntries([...found].map(([name, { values, isWhole }]) => [name, [values.length, isWhole]]));
};

describe("a table of FQDNs", () => {
  it("contains a name's addresses of both families", () => {
    const found = readFqdns(table(block("DB.example.org.", "192.0.2.7", "2001:db8::7")), ["vsys1"]);
    const [one, other] = [0xc0000207n, 0x20010db8000000000000000000000007n];
    expect([...(found ?? [])]).toEqual([
      ["db.example.org", { values: [one, other].map((each) => ({ first: each, last: each })), isWhole: true }],
    ]);
    expect(read(table(block("a", "192.0.2.1", "2001:db8::1"), block("b", "2001:db8::2"))?.replaceAll("\n", "\r\n"))).toEqual({
      ...{ a: [2, true], b: [1, true] },
    });
  });

  it.each([
    ["31 of a family may be all", four(15), [15, true]],
    ["32 of a family are cut", four(32), [32, false]],
    ["32 of IPv6 are cut", six(32), [32, false]],
    ["more than a reply of DNS surely holds may be cut", [...four(10), ...six(5)], [15, false]],
    ["whether there is IPv6 is not known", ["192.0.2.1", "::  unknown"], [1, undefined]],
    ["cut stays cut", [...four(32), "::  unknown"], [32, false]],
  ])("is not taken for whole where it may not be: %s", (_, rows, expected) => {
    expect(read(table(block("a", ...rows)))).toEqual({ a: expected });
  });

  it.each([
    ["no address", []],
    ["nothing but an unknown", ["::  unknown"]],
    ["words", ["Not resolved"]],
    ["an address and words", ["192.0.2.1", "Not resolved"]],
    ["an address with more behind it", ["192.0.2.1  300"]],
    ["no host's address", ["0.0.0.0"]],
    ["a network", ["192.0.2.0/24"]],
    ["an address of a zone", ["fe80::1%eth0"]],
  ])("says nothing of a name that has %s, and of its neighbours all", (_, rows) => {
    expect(read(table(block("a", ...rows), block("b", "192.0.2.9", "2001:db8::9")))).toEqual({ b: [2, true] });
  });

  it("omits a name that occurs twice, or is not for each virtual system", () => {
    const two = `${table(block("a", "192.0.2.1", "2001:db8::1"))}\nVSYS : vsys2\n\tvsys2\n\n${block("a", "192.0.2.2", "2001:db8::2")}`;
    expect(read(two)).toEqual({});
    expect(read(table(block("a", "192.0.2.1", "2001:db8::1")), ["vsys1", "vsys2"])).toEqual({});
  });

  it.each([
    ["nothing", ""],
    ["an older head", table().replace("Request time", "Last Request time")],
    ["names before any scope", `FQDN Table : Request time x\n${block("a", "192.0.2.1")}`],
    ["a row before any scope", "FQDN Table : Request time x\n\t192.0.2.1"],
    ["a name with more behind it", table(block("a (object db)", "192.0.2.1"))],
  ])("is not understood in another form: %s", (_, text) => {
    expect(readFqdns(text, ["vsys1"])).toBeUndefined();
  });
});

const listXml = (members: readonly string[], counts: Readonly<Record<string, number | string>> = {}) => {
  const all = { vsys: "vsys1", name: "bad", "total-valid": members.length, "total-ignored": 0, "total-invalid": 0, ...counts };
  const fields = Object.entries(all).map(([tag, text]) => (text === "" ? "" : `<${tag}>${text}</${tag}>`));
  return `<external-list>${fields.join("")}<valid-members>${members.map((each) => `<member>${each}</member>`).join("")}</valid-members></external-list>`;
};

describe("an external list", () => {
  const held = (inner: string) => {
    const found = readExternalList(parseXml(`<result>${inner}</result>`), "bad", "vsys1");
    return typeof found === "string" ? found : found.length;
  };

  it("contains its valid members: addresses, networks and ranges", () => {
    const members = ["192.0.2.1", "198.51.100.0/24", "203.0.113.1-203.0.113.9", "2001:db8::/32"];
    expect(held(listXml(members))).toBe(4);
    expect(held(listXml(members, { "total-invalid": 3 }))).toBe(4);
    expect(held(listXml(members, { vsys: "shared" }))).toBe(4);
  });

  it.each([
    ["it is cut by the device", listXml(["192.0.2.1"], { "total-ignored": 5 }), "it shows 1 of 1 entries, and omits 5"],
    ["a part is shown", listXml(["192.0.2.1"], { "total-valid": 12000 }), "it shows 1 of 12000 entries, and omits 0"],
    ["more is shown", listXml(["192.0.2.1", "192.0.2.2"], { "total-valid": 1 }), "it shows 2 of 1 entries, and omits 0"],
    ["it was not fetched", listXml([], { "total-invalid": 1 }), "it shows 0 of 0 entries, and omits 0"],
    ["it is empty", listXml([]), "it shows 0 of 0 entries, and omits 0"],
    ["it is another one", listXml(["192.0.2.1"], { name: "good" }), "its answer is not understood"],
    ["it is of another system", listXml(["192.0.2.1"], { vsys: "vsys2" }), "its answer is not understood"],
    ["a member is no address", listXml(["192.0.2.1", "evil.example.org"]), "not all that it shows are addresses"],
    ["a count is missing", listXml(["192.0.2.1"], { "total-ignored": "" }), "it shows 1 of 1 entries, and omits ?"],
    ["a count is no number", listXml(["192.0.2.1"], { "total-valid": "1.0" }), "it shows 1 of 1.0 entries, and omits 0"],
    ["it has another form", "<entry><name>bad</name></entry>", "its answer is not understood"],
  ])("is not known where %s", (_, inner, why) => {
    expect(held(inner)).toBe(why);
  });
});

describe("reading look-ups from a firewall", () => {
  const list = (name: string, type: string) => `<entry name="${name}"><type>${type}</type></entry>`;
  const ip = (url: string, more = "") => `<ip><url>${url}</url>${more}</ip>`;
  const member = (...names: readonly string[]) => `<source>${names.map((each) => `<member>${each}</member>`).join("")}</source>`;
  const rule = (...names: readonly string[]) =>
    `<rulebase><security><rules><entry name="r">${member(...names)}</entry></rules></security></rulebase>`;
  const system = (name: string, inner: string) => `<entry name="${name}">${inner}</entry>`;
  const tree = (inner: string, shared = "") =>
    parseXml(
      `<config><shared>${shared}</shared><devices><entry name="localhost.localdomain"><vsys>${inner}</vsys></entry></devices></config>`,
    );
  const ADDRESS = `<address><entry name="db"><fqdn>db.example.org</fqdn></entry></address>`;
  const LISTS = `<external-list>${list("bad", ip("u"))}</external-list>`;
  const FQDNS = "<show><dns-proxy><fqdn><all></all></fqdn></dns-proxy></show>";
  const asked = (name: string) =>
    `<request><system><external-list><show><type><ip><name>${name}</name><anchor>1</anchor><num-records>10000</num-records></ip></type></show></external-list></system></request>`;
  const TABLE: Table = {
    [FQDNS]: result(table(block("db.example.org", "192.0.2.7", "2001:db8::7"))),
    [asked("bad")]: result(listXml(["192.0.2.1"])),
  };

  async function lookUps(config: ReturnType<typeof tree>, answers: Table = TABLE, view: View = "running") {
    const device = await scriptedDevice(tableScript(answers));
    const client = PanosClient.at(device.url, configuration(device.url), dependencies(), {});
    const { known, refused } = await readResolvedNames(client, config, view);
    return { known: [...known.keys()], refused, sent: device.asked.map(({ call }) => call).filter((call) => call !== "keygen") };
  }

  it("returns FQDNs and lists by kind, in one request and one per list", async () => {
    expect(await lookUps(tree(system("vsys1", ADDRESS + LISTS + rule("db", "bad"))))).toEqual({
      known: ["FQDN db.example.org", "external list ip u"],
      refused: [],
      sent: [FQDNS, asked("bad")],
    });
  });

  it("sends no request that no rule needs, and none to a manager", async () => {
    expect((await lookUps(tree(system("vsys1", LISTS + rule("any"))))).sent).toEqual([]);
    expect((await lookUps(tree("", ADDRESS))).sent).toEqual([]);
    const others = `<external-list>${list("d", "<domain><url>u</url></domain>")}${list("e", ip("u", "<exception-list><member>192.0.2.1</member></exception-list>"))}</external-list>`;
    expect((await lookUps(tree(system("vsys1", others + rule("d", "e"))))).sent).toEqual([]);
  });

  it("reads no lists if they may be ambiguous: several systems, two of one name, a candidate", async () => {
    expect((await lookUps(tree(system("vsys1", LISTS + rule("bad")) + system("vsys2", "")))).sent).toEqual([]);
    expect((await lookUps(tree(system("vsys1", LISTS + rule("bad")), LISTS))).sent).toEqual([]);
    expect((await lookUps(tree(system("vsys1", LISTS + ADDRESS + rule("bad"))), TABLE, "candidate")).sent).toEqual([FQDNS]);
  });

  it("reports nothing if it refuses or is not understood, and uses the other answers", async () => {
    const config = tree(system("vsys1", ADDRESS + LISTS + rule("bad")));
    const denied = await lookUps(config, {
      ...TABLE,
      [FQDNS]: `<response status="error" code="16"><msg><line>Unauthorized request</line></msg></response>`,
    });
    expect(denied).toMatchObject({ known: ["external list ip u"], refused: [expect.stringContaining("Unauthorized request")] });
    const odd = await lookUps(config, { [FQDNS]: result("<entry/>"), [asked("bad")]: result(listXml([], { "total-invalid": 1 })) });
    expect(odd).toMatchObject({
      known: [],
      refused: [
        "What FQDNs hold is not known: its answer is not understood",
        "What bad holds is not known: it shows 0 of 0 entries, and omits 0",
      ],
    });
  });
});
