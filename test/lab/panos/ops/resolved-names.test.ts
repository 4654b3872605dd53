import { describe, expect, it } from "vitest";
import { admin, type Client, find } from "../support.js";

const member = (tag: string, ...names: readonly string[]) => `<${tag}>${names.map((each) => `<member>${each}</member>`).join("")}</${tag}>`;
const ANY = ["from", "to", "source", "application", "service"].map((tag) => member(tag, "any")).join("");
const fqdn = (name: string, text: string) => `<entry name="${name}"><fqdn>${text}</fqdn></entry>`;
const list = (name: string, url: string) => `<entry name="${name}"><type><ip><url>${url}</url></ip></type></entry>`;
const vsys = (name: string, inner = "") => `<entry name="${name}">${inner}</entry>`;
const OBJECTS =
  `<address>${fqdn("db", "db.example.org")}${fqdn("many", "many.example.org")}${fqdn("idle", "idle.example.org")}</address>` +
  `<address-group><entry name="g">${member("static", "many", "g")}</entry></address-group>` +
  `<external-list>${list("blocked", "http://lists/blocked")}${list("away", "http://lists/away")}</external-list>`;
const RULE = `<rulebase><security><rules><entry name="r">${ANY}${member("destination", "db", "g", "blocked")}<action>allow</action></entry></rules></security></rulebase>`;
const device = (...systems: readonly string[]) =>
  `<config><devices><entry name="localhost.localdomain"><vsys>${systems.join("")}</vsys></entry></devices></config>`;

const four = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}`);
const resolves = {
  "db.example.org": ["192.0.2.1", "2001:db8::1"],
  "many.example.org": four(40),
  "http://lists/blocked": ["198.51.100.0/24", "203.0.113.1-203.0.113.9", "nothing", "2001:db8::/32"],
};
const open = async (...systems: readonly string[]) =>
  (
    await admin({
      config: device(...(systems.length === 0 ? [vsys("vsys1", OBJECTS + RULE)] : systems)),
      behavior: { checks: false },
      traffic: { resolves },
    })
  ).client;

const table = async (client: Client) =>
  find((await client.op("<show><dns-proxy><fqdn><all/></fqdn></dns-proxy></show>")).root, "result")?.text ?? "";
const asked = (name: string, page = "<anchor>1</anchor><num-records>10000</num-records>") =>
  `<request><system><external-list><show><type><ip><name>${name}</name>${page}</ip></type></show></external-list></system></request>`;
async function listed(client: Client, ...words: Parameters<typeof asked>) {
  const at = find((await client.op(asked(...words))).root, "result", "external-list");
  const members = find(at ?? expect.fail("no list"), "valid-members")?.children.map(({ text }) => text) ?? [];
  const said = Object.fromEntries((at?.children ?? []).map(({ tag, text }) => [tag, text]));
  return { ...said, members };
}

describe("names that a device resolves", () => {
  it("are those that a rule uses, each with its addresses, by scope", async () => {
    const text = await table(await open());
    expect(text).toMatch(
      /^FQDN Table : Request time 2026-\d\d-\d\d \d\d:\d\d:\d\d\n-{80}\n\tIP Address\n-{80}\n\nVSYS : .*\n\tShared\n\tvsys1\n\n/,
    );
    expect(text).toContain("\ndb.example.org\n\t192.0.2.1\n\t2001:db8::1\n\n");
    expect(text).not.toContain("idle");
  });

  it("are limited to 32 addresses of a family, and mark an unknown family", async () => {
    const [, block = ""] = (await table(await open())).split("many.example.org\n");
    expect(block.split("\n").filter((line) => line.startsWith("\t"))).toEqual([...four(32).map((each) => `\t${each}`), "\t::  unknown"]);
  });
});

describe("external lists of a device", () => {
  it("are counted: valid and invalid members", async () => {
    expect(await listed(await open(), "blocked")).toMatchObject({
      ...{ vsys: "vsys1", name: "blocked", "total-valid": "3", "total-ignored": "0", "total-invalid": "1" },
      members: ["198.51.100.0/24", "203.0.113.1-203.0.113.9", "2001:db8::/32"],
    });
  });

  it("are returned in pages", async () => {
    const client = await open();
    expect((await listed(client, "blocked", "<anchor>2</anchor><num-records>1</num-records>")).members).toEqual([
      "203.0.113.1-203.0.113.9",
    ]);
    expect(await listed(client, "blocked", "<anchor>4</anchor>")).toMatchObject({ "total-valid": "3", members: [] });
  });

  it("have no valid member, and an invalid one, if they could not be fetched", async () => {
    expect(await listed(await open(), "away")).toMatchObject({ "total-valid": "0", "total-invalid": "1", members: [] });
  });

  it("are refused by another name, and on a device with several virtual systems", async () => {
    expect((await (await open()).op(asked("nobody"))).code).toBe("17");
    const several = await open(vsys("vsys1", OBJECTS + RULE), vsys("vsys2"));
    expect((await several.op(asked("blocked"))).lines).toEqual(["blocked is invalid name.Current target-vsys is None"]);
    expect(await table(several)).toContain("\tvsys1\n\tvsys2\n");
  });
});
