import { describe, expect, it } from "vitest";
import type { Operation } from "../../../../src/core/operation.js";
import { SecretValue } from "../../../../src/core/secret.js";
import { SecretLeaf, TreeNode } from "../../../../src/core/tree/node.js";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../../../src/desired/model.js";
import { done, failure, result, systemInfo } from "../fixtures.js";
import { writer } from "../open-writer.js";
import { CALLS } from "../table-device.js";

const ADDRESS = "/config/shared/address";
const leaf = (tag: string, text: string) => new TreeNode(tag, undefined, text);
const web = new TreeNode("entry", "web & co", "", [leaf("ip-netmask", "192.0.2.1")]);
const operations: readonly Operation[] = [
  { action: "set", at: parsePath(ADDRESS), element: web },
  {
    action: "edit",
    at: parsePath(`${ADDRESS}/entry[@name='a']`),
    element: new TreeNode(
      "entry",
      "a",
      "",
      [],
      new Map([
        ["uuid", "u-1"],
        ["admin", "ann"],
        ["time", "t"],
      ]),
    ),
  },
  { action: "delete", at: parsePath(`${ADDRESS}/entry[@name="it's"]`) },
  { action: "move", at: parsePath(`${ADDRESS}/entry[@name='a']`), where: "after", anchor: "b" },
  { action: "move", at: parsePath(`${ADDRESS}/entry[@name='a']`), where: "top" },
  { action: "rename", at: parsePath(`${ADDRESS}/entry[@name='a']`), newName: "c" },
];

const secretOperation = (value: string): Operation => ({
  action: "set",
  at: parsePath("/config/mgt-config/users/entry[@name='x']"),
  element: new SecretLeaf("phash", new SecretValue(value, "${env:HASH}")),
});

describe("writing", () => {
  it("sends a batch as one transaction, strict while nothing of the account is pending", async () => {
    const { target, calls } = await writer({ "config/multi-config": done });
    await target.write(operations);
    await target.write(operations.slice(0, 1));
    const [first, second] = calls("config/multi-config");
    expect(first?.params.get("element")).toBe(
      `<multi-config><set id="1" xpath="/config/shared/address"><entry name="web &amp; co"><ip-netmask>192.0.2.1</ip-netmask></entry></set>` +
        `<edit id="2" xpath="/config/shared/address/entry[@name='a']"><entry name="a" uuid="u-1"/></edit>` +
        `<delete id="3" xpath="/config/shared/address/entry[@name=&quot;it's&quot;]"/>` +
        `<move id="4" xpath="/config/shared/address/entry[@name='a']" where="after" dst="b"/>` +
        `<move id="5" xpath="/config/shared/address/entry[@name='a']" where="top"/>` +
        `<rename id="6" xpath="/config/shared/address/entry[@name='a']" newname="c"/></multi-config>`,
    );
    expect(first?.params.get("strict-transactional")).toBe("yes");
    expect(second?.params.has("strict-transactional")).toBe(false);
    await target.close();
  });

  it("is not strict over pending work of the account, which that would revert", async () => {
    const entry = (owner: string) =>
      result(`<journal><entry><xpath>/config</xpath><owner>${owner}</owner><action>SET</action></entry></journal>`);
    for (const [owner, strict] of [
      ["netops", false],
      ["ann", true],
    ] as const) {
      const { target, calls } = await writer({ "config/multi-config": done, [CALLS.changes]: entry(owner) });
      await target.write(operations);
      expect(calls("config/multi-config")[0]?.params.has("strict-transactional")).toBe(strict);
      await target.close();
    }
  });

  it("sends single requests, in the specification's form, without batches", async () => {
    const { target, device } = await writer({
      [CALLS.system]: systemInfo({ "sw-version": "9.1.0" }),
      ...Object.fromEntries(["set", "edit", "delete", "move", "rename"].map((action) => [`config/${action}`, done])),
    });
    await target.write(operations);
    const sent = device.asked
      .filter(({ call }) => call.startsWith("config/") && call !== "config/show")
      .map(({ params }) => Object.fromEntries(params));
    expect(sent.map(({ action, xpath, element, where, dst, newname }) => [action, xpath, element ?? where ?? newname, dst])).toEqual([
      ["set", ADDRESS, `<entry name="web &amp; co"><ip-netmask>192.0.2.1</ip-netmask></entry>`, undefined],
      ["edit", `${ADDRESS}/entry[@name='a']`, `<entry name="a" uuid="u-1"/>`, undefined],
      ["delete", `${ADDRESS}/entry[@name="it's"]`, undefined, undefined],
      ["move", `${ADDRESS}/entry[@name='a']`, "after", "b"],
      ["move", `${ADDRESS}/entry[@name='a']`, "top", undefined],
      ["rename", `${ADDRESS}/entry[@name='a']`, "c", undefined],
    ]);
    await target.close();
  });

  it("falls back to single requests if the device does not support batches, and reports it", async () => {
    const refused = `<response status="error" code="17"><msg><line>action 'multi-config' is not an allowed keyword</line></msg></response>`;
    const { target, injected, calls } = await writer({ "config/multi-config": refused, "config/set": done });
    await target.write(operations.slice(0, 1));
    await target.write(operations.slice(0, 1));
    expect([calls("config/multi-config").length, calls("config/set").length]).toEqual([1, 2]);
    expect(injected.warnings.join()).toMatch(/one by one/);
    await target.close();
  });

  it("treats a deletion of a missing object as done, but only as a single request", async () => {
    const gone = `<response status="success" code="7"><msg>Object doesn't exist</msg></response>`;
    const old = { [CALLS.system]: systemInfo({ "sw-version": "9.1.0" }) };
    const single = await writer({ ...old, "config/delete": gone, "config/move": gone });
    await single.target.write(operations.slice(2, 3));
    expect((await failure(single.target.write(operations.slice(4, 5)))).code).toBe("object-not-present");
    await single.target.close();
    const inner = `<response status="error" code="7"><msg><line>x</line></msg><response status="success" code="20" id="1"/><response status="error" code="7" id="3"><msg>Object doesn't exist</msg></response></response>`;
    const batch = await writer({ "config/multi-config": inner });
    const error = await failure(batch.target.write(operations));
    expect([error.code, error.where.xpath]).toEqual(["object-not-present", `${ADDRESS}/entry[@name="it's"]`]);
    await batch.target.close();
  });

  it("treats a deletion that a batch skipped as done", async () => {
    const said = (code: string) => `<response status="success" code="${code}"/>`;
    const inner = (codes: readonly string[]) => `<response status="success" code="20">${codes.map(said).join("")}</response>`;
    const right = await writer({ "config/multi-config": inner(["20", "20", "7", "20", "20", "20"]) });
    await right.target.write(operations);
    await right.target.close();
    const wrong = await writer({ "config/multi-config": inner(["20", "20", "20", "7", "20", "20"]) });
    expect((await failure(wrong.target.write(operations))).code).toBe("object-not-present");
    await wrong.target.close();
  });

  it("reports how far it came when a single request fails", async () => {
    const { target } = await writer({
      [CALLS.system]: systemInfo({ "sw-version": "9.1.0" }),
      "config/set": done,
      "config/edit": `<response status="error" code="12"><msg><line>is invalid</line></msg></response>`,
    });
    const error = await failure(target.write(operations));
    expect(error.code).toBe("object-refused");
    expect(error.message).toContain("1 of 6 operations were done before it");
    expect(error.where.xpath).toBe(`${ADDRESS}/entry[@name='a']`);
    await target.close();
  });

  it("accepts no batch in which one operation failed, whatever the envelope contains", async () => {
    const inner = `<response status="success" code="20"><response status="success" code="20" id="1"><msg>command succeeded</msg></response><response status="error" code="12" id="2"><msg><line>bogus unexpected here</line></msg></response></response>`;
    const { target } = await writer({ "config/multi-config": inner });
    const error = await failure(target.write(operations));
    expect([error.code, error.where.xpath]).toEqual(["object-refused", `${ADDRESS}/entry[@name='a']`]);
    await target.close();
  });

  it.each([
    [8, "x already in use", "object-not-unique"],
    [12, "is invalid", "object-refused"],
    [14, "cannot move", "operation-not-possible"],
    [15, "passive", "operation-denied"],
    [16, "Unauthorized request", "role-not-authorized"],
    [6, "Bad xpath", "xpath-refused"],
    [17, "vsys99 is invalid vsys", "command-refused"],
    [18, "malformed", "command-refused"],
    [21, "internal", "device-internal-error"],
    [13, "Object not found", "object-not-found"],
    [13, "the number of uncommitted changes must not exceed 250", "too-many-pending-changes"],
    [13, "A commit is in progress.", "device-busy"],
    [12, "Config for scope shared is currently locked by ann", "device-locked"],
    [99, "something new", "device-error"],
  ])("names the XPath in the error of code %i (%s)", async (code, words, expected) => {
    const { target } = await writer({
      "config/multi-config": `<response status="error" code="${code}"><response status="error" code="${code}" id="1"><msg><line>${words}</line></msg></response></response>`,
    });
    const error = await failure(target.write(operations));
    expect([error.code, error.where.xpath]).toEqual([expected, ADDRESS]);
    expect(error.message).toContain(words);
    await target.close();
  });

  it("lists every referrer of an object in use", async () => {
    const inUse = `<response status="error" code="10"><msg><line> <![CDATA[ Boingy]]> cannot be deleted because of references from:</line><line> certificate-profile -> Keyfactor -> CA -> Boingy</line><line> b</line></msg></response>`;
    const { target } = await writer({ "config/multi-config": inUse });
    const error = await failure(target.write(operations.slice(2, 3)));
    expect(error.code).toBe("still-referenced");
    expect(error.message).toBe(
      "Boingy cannot be deleted because of references from:\n  certificate-profile -> Keyfactor -> CA -> Boingy\n  b",
    );
    await target.close();
  });

  it("reveals secrets only in the request body, and hides them in the device's texts", async () => {
    const value = "$5$salt$TOPSECRET";
    const refused = `<response status="error" code="12"><msg><line>phash ${value} is invalid</line></msg></response>`;
    for (const version of ["11.1.0", "9.1.0"]) {
      const { target, device, injected } = await writer({
        [CALLS.system]: systemInfo({ "sw-version": version }),
        "config/multi-config": refused,
        "config/set": refused,
      });
      const error = await failure(target.write([secretOperation(value)]));
      expect(error.message).toContain("phash ${env:HASH} is invalid");
      const sent = device.asked.at(-1);
      expect(sent?.method).toBe("POST");
      expect(sent?.params.get("element")).toContain(`<phash>${value}</phash>`);
      expect([...injected.logged, error.message, JSON.stringify(error)].join()).not.toContain("TOPSECRET");
      await target.close();
    }
  });

  it("writes desired secrets, omits ignored parts, and never writes kept or unknown values", async () => {
    const facts = { origin: -1, prunes: true, declared: true };
    const child = (tag: string, handling: DesiredNode["handling"]) => new DesiredNode(tag, undefined, "shown", [], { ...facts, handling });
    const entry = (...children: DesiredNode[]): Operation => ({
      action: "set",
      at: parsePath("/config/mgt-config/users"),
      element: new DesiredNode("entry", "x", "", children, facts),
    });
    const { target, calls } = await writer({ "config/multi-config": done });
    await target.write([entry(child("phash", { secret: new SecretValue("real", "shown") }), child("note", { ignored: true }))]);
    expect(calls("config/multi-config")[0]?.params.get("element")).toContain(`><entry name="x"><phash>real</phash></entry></set>`);
    for (const handling of [{ keep: true }, { unresolved: "${cloud:x}" }]) {
      expect((await failure(target.write([entry(child("phash", handling))]))).code).toBe("value-not-writable");
    }
    expect(calls("config/multi-config")).toHaveLength(1);
    await target.close();
  });

  it("reports a lost reply, and sends nothing again", async () => {
    const { target, calls } = await writer({ "config/multi-config": "drop" });
    expect((await failure(target.write(operations))).code).toBe("reply-lost");
    expect(calls("config/multi-config")).toHaveLength(1);
    await target.close();
  });
});
