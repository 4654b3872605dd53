import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { find } from "../../../../src/core/tree/lookup.js";
import { SecretLeaf } from "../../../../src/core/tree/node.js";
import { Path } from "../../../../src/core/tree/path.js";
import { writeXml } from "../../../../src/core/tree/xml/write.js";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";
import type { View } from "../../../../src/plan/platform.js";
import { openPanosReader } from "../../../../src/targets/panos/reader.js";
import { configuration, dependencies, empty, failure, found } from "../fixtures.js";
import { type Asked, scriptedDevice } from "../scripted-device.js";
import { configurationTable, QUIET, type Table, tableScript } from "../table-device.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const VSYS = `${DEVICE}/vsys/entry[@name='vsys1']`;
const XML = `<config><mgt-config><users><entry name="admin"><phash>$5$abcdefgh$0123456789</phash></entry></users></mgt-config>
<shared><tag><entry name="dmz"/></tag></shared>
<devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>edge</hostname></system></deviceconfig>
<vsys><entry name="vsys1"><address><entry name="a"><ip-netmask>192.0.2.1</ip-netmask></entry></address>
<rulebase><security><rules><entry name="r" uuid="u-1"><source><member>a</member></source></entry></rules></security></rulebase></entry></vsys></entry></devices></config>`;

async function reader(table: Table = {}, options = {}) {
  const device = await scriptedDevice(tableScript({ ...QUIET, ...configurationTable(XML), ...table }));
  return { device, target: openPanosReader(configuration(device.url), dependencies(), options) };
}

/** XPaths that were read, without the check for `show` support. */
const reads = (device: { readonly asked: readonly Asked[] }) =>
  device.asked
    .filter(({ call }) => call.startsWith("config/"))
    .map(({ params }) => params.get("xpath"))
    .filter((xpath) => xpath?.endsWith("/hostname") === false);

describe("reading", () => {
  it.each(["candidate", "running"] as const)("hangs subtrees into one tree (%s)", async (view: View) => {
    const { device, target } = await reader();
    const tree = await target.read(
      [`${VSYS}/address`, "/config/shared/tag", `${VSYS}/rulebase/security/rules`].map((path) => parsePath(path)),
      view,
    );
    expect(writeXml(tree, { secrets: "label" })).toBe(
      `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><address><entry name="a"><ip-netmask>192.0.2.1</ip-netmask></entry></address>` +
        `<rulebase><security><rules><entry name="r" uuid="u-1"><source><member>a</member></source></entry></rules></security></rulebase></entry></vsys></entry></devices>` +
        `<shared><tag><entry name="dmz"/></tag></shared></config>`,
    );
    expect(reads(device)).toHaveLength(3);
    expect(device.asked.at(-1)?.call).toBe(view === "candidate" ? "config/get" : "config/show");
    await target.close();
  });

  it("sends one request for nested or repeated paths, and never for the complete configuration", async () => {
    const { device, target } = await reader();
    const paths = [`${VSYS}/address`, VSYS, `${VSYS}/address/entry[@name='a']`, VSYS, "/config/shared"].map((path) => parsePath(path));
    await target.read(paths, "candidate");
    expect(reads(device)).toEqual([VSYS, "/config/shared"]);
    for (const whole of [Path.root, Path.root.child("config")]) {
      const tree = await target.read([whole], "candidate");
      expect(tree.children.map(({ tag }) => tag)).toEqual(["mgt-config", "shared", "devices"]);
    }
    expect(reads(device)).not.toContain("/config");
    await target.close();
  });

  it("types stored secrets as such, anywhere", async () => {
    const { target } = await reader();
    const tree = await target.read([parsePath("/config/mgt-config/users")], "candidate");
    const leaf = find(tree, parsePath("/config/mgt-config/users/entry[@name='admin']/phash"));
    expect(leaf).toBeInstanceOf(SecretLeaf);
    expect(JSON.stringify(tree)).not.toContain("$5$");
    await target.close();
  });

  it("returns the digest of each raw reply if needed", async () => {
    const digests: string[] = [];
    const { target } = await reader({}, { onDigest: (...told: string[]) => digests.push(told.join(" ")) });
    await target.read([parsePath("/config/shared/tag")], "running");
    const raw = found(`<tag><entry name="dmz"/></tag>`);
    expect(digests).toEqual([`/config/shared/tag running ${createHash("sha256").update(raw).digest("hex")}`]);
    await target.close();
  });

  it("refuses an answer about another node, or about several", async () => {
    for (const inner of ["<service/>", "<tag/><tag/>"]) {
      const { target } = await reader({ "config/get": found(inner) });
      expect((await failure(target.read([parsePath("/config/shared/tag")], "candidate"))).code).toBe("reply-mismatch");
      await target.close();
    }
    const { target } = await reader({ "config/get": found(`<entry name="b"/>`) });
    expect((await failure(target.read([parsePath("/config/shared/tag/entry[@name='a']")], "candidate"))).code).toBe("reply-mismatch");
    await target.close();
  });

  it("fails if one of several subtrees fails", async () => {
    const { target } = await reader({
      "config/get": ({ params }) => (params.get("xpath")?.endsWith("tag") ? found("<tag/>").slice(0, 30) : found("<address/>")),
    });
    const both = ["/config/shared/address", "/config/shared/tag"].map((path) => parsePath(path));
    expect((await failure(target.read(both, "candidate"))).code).toBe("reply-not-well-formed");
    await target.close();
  });
});

describe("an empty answer", () => {
  const missing = `${VSYS}/address-group`;

  it.each(["candidate", "running"] as const)("is believed once the ancestor reads back without it (%s)", async (view: View) => {
    const { device, target } = await reader();
    const tree = await target.read([parsePath(missing), parsePath(`${VSYS}/address`)], view);
    expect(find(tree, parsePath(missing))).toBeUndefined();
    expect(find(tree, parsePath(`${VSYS}/address`))?.children).toHaveLength(1);
    expect(reads(device)).toContain(VSYS);
    await target.close();
  });

  it("leads to the nearest existing ancestor, once for all that share it", async () => {
    const { device, target } = await reader();
    const absent = ["nat/rules", "qos/rules", "pbf/rules"].map((rest) => parsePath(`${VSYS}/rulebase/${rest}`));
    await target.read(absent, "candidate");
    const asked = reads(device);
    expect(asked.filter((path) => path === `${VSYS}/rulebase`)).toHaveLength(1);
    expect(asked).not.toContain(VSYS);
    await target.close();
  });

  it("is accepted for a missing vsys", async () => {
    const { target } = await reader();
    const tree = await target.read([parsePath(`${DEVICE}/vsys/entry[@name='vsys9']/address`)], "candidate");
    expect(tree.children).toEqual([]);
    await target.close();
  });

  it("is not accepted if the ancestor contains the node", async () => {
    const all = configurationTable(XML)["config/get"];
    const { target } = await reader({
      "config/get": (asked, count) =>
        asked.params.get("xpath") === `${VSYS}/address` || typeof all !== "function" ? empty : all(asked, count),
    });
    const error = await failure(target.read([parsePath(`${VSYS}/address`)], "candidate"));
    expect(error.code).toBe("empty-read-not-believed");
    expect(error.where.xpath).toBe(`${VSYS}/address`);
    await target.close();
  });

  it("is accepted if the ancestor shows an empty step, and not if the entry itself exists", async () => {
    const bare = XML.replace("</vsys>", "<entry name='vsys8'><tag><entry name='t'/></tag></entry><entry name='vsys9'/></vsys>");
    const table = configurationTable(bare);
    const all = table["config/get"];
    const tag = `${DEVICE}/vsys/entry[@name='vsys8']/tag/entry[@name='t']`;
    const { target } = await reader({
      "config/get": (asked, count) => (asked.params.get("xpath") === tag || typeof all !== "function" ? empty : all(asked, count)),
    });
    const nine = parsePath(`${DEVICE}/vsys/entry[@name='vsys9']/address`);
    expect(find(await target.read([nine], "candidate"), nine)).toBeUndefined();
    expect((await failure(target.read([parsePath(tag)], "candidate"))).code).toBe("empty-read-not-believed");
    await target.close();
  });

  it("is not accepted if the ancestor lacks content that was just read below it", async () => {
    const all = configurationTable(XML)["config/get"];
    const { target } = await reader({
      "config/get": (asked, count) =>
        asked.params.get("xpath") === VSYS || typeof all !== "function" ? found(`<entry name="vsys1"><zone/></entry>`) : all(asked, count),
    });
    const error = await failure(target.read([parsePath(missing), parsePath(`${VSYS}/address`)], "candidate"));
    expect(error.code).toBe("empty-read-not-believed");
    await target.close();
  });

  it("is not accepted from an administrator who sees nothing", async () => {
    for (const view of ["candidate", "running"] as const) {
      const { target } = await reader({ "config/get": empty, "config/show": empty });
      const everything = ["/config/shared/tag", `${VSYS}/address`].map((path) => parsePath(path));
      expect((await failure(target.read(everything, view))).code).toBe("empty-read-not-believed");
      await target.close();
    }
  });
});
