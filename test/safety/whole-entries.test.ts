import { afterEach, describe, expect, it } from "vitest";
import type { Shape } from "../../src/core/tree/shape.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { BARE } from "../engine/apply/scenes.js";

/** An entry is owned completely (docs/ownership.md#what-may-be-deleted): an addition inside it is drift at any depth. */

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const GROUP = `${DEVICE}/log-collector-group/entry[@name='default']`;
const LISTS = ["system", "config", "hipmatch", "userid", "iptag", "auth", "globalprotect", "traffic", "threat", "wildfire", "url", "data"];

const matchLists = LISTS.map((log) => `        ${log}: { match-list: { ours: { filter: All Logs } } }\n`).join("");
const DOCUMENT = `target: edge\nscope: device\nconfig:\n  log-collector-group:\n    default:\n      log-settings:\n${matchLists}`;

async function reconciled(): Promise<LabWorld> {
  const world = await LabWorld.start(BARE, { strict: true });
  worlds.push(world);
  world.want(DOCUMENT);
  const { error } = await world.reconcile();
  if (error !== undefined) throw error;
  return world;
}

it("an entry that is added to any of twelve lists in an owned entry is detected, and deleted", async () => {
  const world = await reconciled();
  const { device } = world.lab;
  const theirs = LISTS.map((log) => `${GROUP}/log-settings/${log}/match-list/entry[@name='theirs']`);
  for (const xpath of theirs)
    expect(device.act("alice", { type: "config", action: "set", xpath, element: "<filter>x</filter>" }).status).toBe("success");
  expect(device.act("alice", { type: "commit", cmd: "<commit/>" }).status).toBe("success");
  const { drift } = await world.drift();
  expect(drift?.items.map(({ change, attribution }) => `${change.kind} ${change.path} ${attribution?.admin}`)).toEqual(
    theirs.map((xpath) => `extra ${xpath} alice`),
  );
  expect((await world.reconcile()).applied).toMatchObject({ commit: "committed", proven: true });
  expect((await world.drift()).drift?.items).toEqual([]);
});

describe("kinds whose entries are not complete", () => {
  /** Objects that the device creates, and containers for other administrators' objects: each one is decided explicitly. */
  const FRAMES = [
    "/devices",
    "/devices/device-group",
    "/devices/network/interface/aggregate-ethernet",
    "/devices/network/interface/ethernet",
    "/devices/network/logical-router",
    "/devices/network/logical-router/vrf",
    "/devices/network/qos/interface",
    "/devices/network/virtual-router",
    "/devices/template",
    "/devices/template-stack",
    "/devices/vsys",
    "/mgt-config/devices",
    "/mgt-config/devices/vsys",
  ];

  it("are exactly these", () => {
    const found = new Set<string>();
    walk(panosShape(), "", found);
    expect([...found].sort()).toEqual(FRAMES);
  });
});

/** Templates hold a configuration of the same shape: they are not walked again. */
function walk(shape: Shape, path: string, found: Set<string>): void {
  for (const tag of shape.knownTags) {
    const child = shape.child(tag);
    const at = tag === "entry" ? path : `${path}/${tag}`;
    if (child.kind === "entry" && child.structural) found.add(path);
    if (path.split("/").length < 14 && !/\/template(-stack)?$/.test(at)) walk(child, at, found);
    else if (child.kind === "list" && child.child("entry").structural) found.add(at);
  }
}
