import { expect, it } from "vitest";
import { packageFile } from "../../src/core/package-file.js";
import { buildShape } from "../../src/core/tree/shape-table.js";
import { contrailShape } from "../../src/targets/contrail/shape.js";
import { openstackShape } from "../../src/targets/openstack/shape.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { CLOUD_VALUES, cloud, cloudText, IRRELEVANT_IN_CLOUDS } from "./policy-fields/cloud.js";
import { CONTROLLER_VALUES, controller, IRRELEVANT_IN_CONTROLLERS } from "./policy-fields/controller.js";
import { firewall, manager, sharing, VALUES } from "./policy-fields/firewall.js";
import { IN_FIREWALLS, IN_MANAGERS, IRRELEVANT } from "./policy-fields/irrelevant.js";
import { unreported, unused } from "./policy-fields/judge.js";
import { inFirewall, inManager, inShared, isSkipped, panosText } from "./policy-fields/panos.js";

// Every field of the shape tables that is changed alone: the reachability section changes, or reports that the effect is not known.

const panos = { shape: panosShape(), textOf: panosText, values: VALUES };

it.each([
  ["a firewall", { world: firewall, skips: inFirewall, irrelevant: [...IRRELEVANT, ...IN_FIREWALLS] }],
  ["the shared objects of a firewall", { world: sharing, skips: inShared, irrelevant: IRRELEVANT }],
  ["a manager", { world: manager, skips: inManager, irrelevant: [...IRRELEVANT, ...IN_MANAGERS] }],
])("reports each changed field of %s", { timeout: 3_600_000 }, async (_, judged) => {
  expect(await unreported({ ...panos, ...judged })).toEqual([]);
});

it("finds a field that the table gets without a reason", async () => {
  const table = JSON.parse(packageFile("schemas/panos.shape.json"));
  table.types["rules-of-security"].rules["icmp-and-more"] = "leaf";
  table.types["rules-of-nat"].rules["only-on-sundays"] = "leaf";
  table.types["policy-objects"].tag.meaning = "leaf";
  const skips = (tags: readonly string[]) => inFirewall(tags) || /^devices\/\*\/(network|deviceconfig)$/.test(tags.join("/"));
  const irrelevant = [...IRRELEVANT, ...IN_FIREWALLS];
  const found = await unreported({ ...panos, world: firewall, skips, irrelevant, shape: buildShape(table) });
  expect(found).toEqual(["scope/tag/*/meaning: no section"]);
});

it("lists no irrelevant field that does not exist", () => {
  const irrelevant = [...IRRELEVANT, ...IN_FIREWALLS, ...IN_MANAGERS];
  expect(unused({ ...panos, skips: isSkipped, irrelevant })).toEqual([]);
});

it("reports each changed field of a cloud", { timeout: 3_600_000 }, async () => {
  const project = { shape: openstackShape(), world: cloud, textOf: cloudText, values: CLOUD_VALUES, skips: () => false };
  expect(await unreported({ ...project, irrelevant: IRRELEVANT_IN_CLOUDS })).toEqual([]);
  expect(unused({ ...project, irrelevant: IRRELEVANT_IN_CLOUDS })).toEqual([]);
});

it("reports each changed field of a controller", { timeout: 3_600_000 }, async () => {
  const all = { shape: contrailShape(), world: controller, textOf: cloudText, values: CONTROLLER_VALUES, skips: () => false };
  expect(await unreported({ ...all, irrelevant: IRRELEVANT_IN_CONTROLLERS })).toEqual([]);
  expect(unused({ ...all, irrelevant: IRRELEVANT_IN_CONTROLLERS })).toEqual([]);
});
