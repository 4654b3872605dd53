import { describe, expect, it } from "vitest";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";
import { openPanosReader } from "../../../../src/targets/panos/reader.js";
import type { PanosTargetConfiguration } from "../../../../src/targets/panos/settings.js";
import { afterTest } from "../../../after-test.js";
import { configuration, dependencies, found } from "../fixtures.js";
import { scriptedDevice } from "../scripted-device.js";
import { CALLS, configurationTable, QUIET, type Table, tableScript } from "../table-device.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const GROUPS = "<show><devicegroups></devicegroups></show>";
const STACKS = "<show><template-stack></template-stack></show>";
const DEVICES = "<show><devices><all></all></devices></show>";
const HIERARCHY = "<show><dg-hierarchy></dg-hierarchy></show>";

const ok = (inner: string) => `<response status="success"><result>${inner}</result></response>`;
const row = (serial: string, inner: string) =>
  `<entry name="${serial}"><serial>${serial}</serial><connected>yes</connected>${inner}</entry>`;
const policy = (status: string, sum: string) =>
  `<shared-policy-status>${status}</shared-policy-status><shared-policy-md5sum>${sum}</shared-policy-md5sum><shared-policy-version>7</shared-policy-version>`;
const group = (name: string, sum: string, devices: string) =>
  `<entry name="${name}"><shared-policy-md5sum>${sum}</shared-policy-md5sum><devices>${devices}</devices></entry>`;
const last =
  "<last-commit-all-state-sp>commit succeeded</last-commit-all-state-sp><last-commit-all-upd-sp>2026/01/05 08:00:00</last-commit-all-upd-sp>";

const members = (name: string, ...serials: readonly string[]) =>
  `<entry name="${name}"><devices>${serials.map((serial) => `<entry name="${serial}"/>`).join("")}</devices></entry>`;

/** Membership in the manager's configuration. `get` of the path to all groups returns their `devices` elements, without names. */
function configured(groups: string, stacks: string): Table {
  const table = configurationTable(
    `<config><devices><entry name="localhost.localdomain"><device-group>${groups}</device-group><template-stack>${stacks}</template-stack></entry></devices></config>`,
  );
  const all = ({ xpath }: { readonly xpath: string }) =>
    found([...(xpath.includes("/device-group/") ? groups : stacks).matchAll(/<devices>.*?<\/devices>/g)].join(""));
  return { ...table, "config/get": ({ params }) => all({ xpath: params.get("xpath") ?? "" }) };
}

const GROUP_MEMBERS = members("all") + members("branch", "1", "2") + members("plants", "3");
const STACK_MEMBERS = members("stack", "1") + members("other");

const TABLE: Table = {
  ...QUIET,
  ...configured(GROUP_MEMBERS, STACK_MEMBERS),
  [CALLS.system]: ok("<system><model>Panorama</model><serial>0099</serial><sw-version>11.1.4</sw-version></system>"),
  [GROUPS]: ok(
    `<devicegroups>${group("all", "a1", "")}${group("branch", "b1", row("1", `${last}${policy("In Sync", "b1")}<vsys/>`) + row("2", policy("Out of Sync", "b0")))}${group("plants", "c1", row("3", `<vsys><entry name="vsys1">${last}${policy("In Sync", "c1")}</entry><entry name="vsys2">${policy("Out of Sync", "")}</entry></vsys>`))}</devicegroups>`,
  ),
  [STACKS]: ok(
    `<template-stack><entry name="stack"><templates><member>net</member></templates><devices>${row("1", "<template-status>In Sync</template-status><last-commit-all-state-tpl>none</last-commit-all-state-tpl>")}</devices></entry><entry name="other"><templates><member>else</member></templates></entry></template-stack>`,
  ),
  [HIERARCHY]: ok(
    `<dg-hierarchy><dg name="all" dg_id="11"><dg name="branch" dg_id="12"/></dg><dg name="plants" dg_id="13"/></dg-hierarchy>`,
  ),
};

async function firewalls(paths: readonly string[] | undefined, table: Table = {}, more: Partial<PanosTargetConfiguration> = {}) {
  const device = await scriptedDevice(tableScript({ ...TABLE, ...table }));
  const target = openPanosReader({ ...configuration(device.url), ...more }, dependencies());
  const reach = paths === undefined ? undefined : { paths: paths.map((path) => parsePath(path)), tree: new TreeNode("config") };
  afterTest(() => target.close());
  const rows = await target.managed.firewalls(reach);
  const asked = device.asked.map(({ call }) => call).filter((call) => [GROUPS, STACKS, HIERARCHY, DEVICES].includes(call));
  return { rows, asked, words: rows?.map(({ serial, vsys = "", by, state }) => `${serial}${vsys} ${by} ${state}`) };
}

const PUSHES = {
  push: { validate: true, arrival: "manager", others: "refuse", timeout: 1, rollout: { canary: [], batch: undefined, apart: [] } },
} as const;
const pair = (state: string, peer: string) => `<ha><state>${state}</state><peer><serial>${peer}</serial></peer></ha>`;

describe("a manager's view of its firewalls", () => {
  it("includes members of pairs, if they are pushed to", async () => {
    const devices = ok(
      `<devices>${row("1", pair("active", "2"))}${row("2", pair("passive", "1"))}${row("3", "<ha><state>no</state></ha>")}</devices>`,
    );
    const { rows, asked } = await firewalls(undefined, { [DEVICES]: devices }, PUSHES);
    expect(asked.toSorted()).toEqual([GROUPS, DEVICES, STACKS]);
    expect(rows?.map(({ serial, ha }) => `${serial} ${ha?.state} ${ha?.peer}`)).toEqual([
      "1 active 2",
      "2 passive 1",
      "3 undefined undefined",
      "3 undefined undefined",
      "1 active 2",
    ]);
  });

  it("needs two commands for all of them", async () => {
    const { words, asked, rows } = await firewalls(undefined);
    expect(words).toEqual([
      "1 device-group/branch in sync",
      "2 device-group/branch out of sync",
      "3vsys1 device-group/plants in sync",
      "3vsys2 device-group/plants out of sync",
      "1 template-stack/stack in sync",
    ]);
    expect(asked.toSorted()).toEqual([GROUPS, STACKS]);
    expect(rows?.[0]).toMatchObject({ connected: true, version: "7", lastPush: { result: "commit succeeded", at: "2026/01/05 08:00:00" } });
    expect(rows?.at(-1)?.lastPush).toBeUndefined();
  });

  it.each([
    [
      "a group, and those below it",
      [`${DEVICE}/device-group/entry[@name='all']/address`],
      ["1 device-group/branch", "2 device-group/branch"],
    ],
    ["a group alone", [`${DEVICE}/device-group/entry[@name='plants']/tag`], ["3 device-group/plants", "3 device-group/plants"]],
    [
      "all that is shared",
      ["/config/shared/address"],
      ["1 device-group/branch", "2 device-group/branch", "3 device-group/plants", "3 device-group/plants"],
    ],
    ["a template by its stacks", [`${DEVICE}/template/entry[@name='net']/config`], ["1 template-stack/stack"]],
    ["a stack", [`${DEVICE}/template-stack/entry[@name='other']`], []],
    ["nothing by the manager's own settings", [`${DEVICE}/deviceconfig/system`], []],
  ])("reaches %s", async (_, paths, wanted) => {
    expect((await firewalls(paths)).rows?.map(({ serial, by }) => `${serial} ${by}`)).toEqual(wanted);
  });

  it("sends no unnecessary request", async () => {
    expect((await firewalls([`${DEVICE}/deviceconfig/system`])).asked).toEqual([]);
    expect((await firewalls([`${DEVICE}/template/entry[@name='net']/config`])).asked).toEqual([STACKS]);
    expect((await firewalls(["/config/shared/tag"])).asked).toEqual([GROUPS]);
  });

  it("does not trust In Sync with another sum, nor unknown texts", async () => {
    const odd = group("branch", "b1", row("1", policy("In Sync", "b0")) + row("2", policy("commit failed", "b1")) + row("4", ""));
    const { words } = await firewalls(["/config/shared/tag"], {
      [GROUPS]: ok(`<devicegroups>${odd}</devicegroups>`),
      ...configured(members("branch", "1", "2", "4"), ""),
    });
    expect(words).toEqual(["1 device-group/branch unknown", "2 device-group/branch unknown", "4 device-group/branch unknown"]);
  });

  it("adds firewalls that only the running configuration lists as unknown", async () => {
    const devices = ok(`<devices>${row("7", "<hostname>fw-7</hostname>")}</devices>`);
    const table = {
      [DEVICES]: devices,
      ...configured(members("branch", "1", "2", "7") + members("plants", "3", "8"), members("new", "9")),
    };
    expect((await firewalls(undefined, table)).words).toEqual([
      "1 device-group/branch in sync",
      "2 device-group/branch out of sync",
      "3vsys1 device-group/plants in sync",
      "3vsys2 device-group/plants out of sync",
      "7 device-group/branch unknown",
      "8 device-group/plants unknown",
      "1 template-stack/stack unknown",
      "9 template-stack/new unknown",
    ]);
    const { rows } = await firewalls([`${DEVICE}/device-group/entry[@name='all']/address`], table);
    expect(rows?.map(({ serial }) => serial)).toEqual(["1", "2", "7"]);
    expect(rows?.at(-1)).toMatchObject({ hostname: "fw-7", connected: true });
  });

  it("reports firewalls as unknown that only the command lists", async () => {
    const { words } = await firewalls(["/config/shared/tag"], configured(members("branch", "1") + members("plants", "3"), STACK_MEMBERS));
    expect(words?.slice(0, 2)).toEqual(["1 device-group/branch in sync", "2 device-group/branch unknown"]);
  });

  it("ignores members of the candidate that are not running", async () => {
    const candidate = configured(members("branch", "1", "2", "7") + members("plants", "3"), "")["config/get"] ?? "";
    expect((await firewalls(["/config/shared/tag"], { "config/get": candidate })).words?.join()).not.toContain("7");
  });

  it("is empty for a firewall, and an error without permission", async () => {
    expect((await firewalls(undefined, { [CALLS.system]: ok("<system><model>PA-VM</model></system>") })).rows).toBeUndefined();
    const refused = '<response status="error" code="16"><msg><line>Unauthorized request</line></msg></response>';
    await expect(firewalls(undefined, { [GROUPS]: refused })).rejects.toMatchObject({ code: "role-not-authorized" });
  });
});
