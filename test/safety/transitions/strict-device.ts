import type { TreeNode } from "../../../src/core/tree/node.js";
import { CONTAINERS } from "./containers.js";
import { stepsOf } from "./places.js";

/*
 * A device that refuses everything that some device refuses. Its rules come from public sources, not from `schemas/`:
 *   two alternatives in one parent   devices refuse an interface with both `ip` and `dhcp-client` (public issues); other devices keep one
 *   `any` with other members         "'any' should not be used with another" (public issues)
 *   two members where one is allowed "At most 1 occurrence" (public issues)
 *   an empty match list              means any: nobody wants that, not even between two requests
 *   a name without an object         "is not a valid reference", checked when it is written (measured, PAN-OS 12.1)
 */

/** Match lists of rules, which are never empty. `any` must be their only member. */
const MATCH_LISTS = ["from", "to", "source", "destination", "application", "service", "category", "source-user"];
/** Lists that hold one member: a security profile of each kind, a profile group, the zone of a NAT rule's `to`. */
const ONE_MEMBER = /\/profile-setting\/(group|profiles\/[a-z-]+)$|\/nat\/rules\/entry\/to$/;

const tagPath = (place: string): string =>
  `/config/${stepsOf(place)
    .map((step) => (step.includes("=") ? `${step.split("=")[0]}/entry` : step))
    .join("/")}`;

/** Tags that exclude each other, by the tags of the path to their parent. */
const EXCLUSIVE = new Map(
  CONTAINERS.flatMap(({ place, exclusive }) => (exclusive === undefined ? [] : [[tagPath(place), exclusive] as const])),
);
const BELOW_EXCLUSIVE: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\/server\/option\/lease$/, ["unlimited", "timeout"]],
  [/\/override$/, ["no", "yes"]],
  [/\/type\/ip\/recurring$/, ["five-minute", "hourly", "daily", "weekly", "monthly"]],
  [/\/schedule-type\/recurring$/, ["daily", "weekly"]],
  [
    /\/vulnerability\/entry\/rules\/entry\/action$/,
    ["default", "allow", "alert", "drop", "reset-client", "reset-server", "reset-both", "block-ip"],
  ],
  [/\/profile-setting$/, ["group", "profiles"]],
  [/\/source-translation$/, ["dynamic-ip-and-port", "dynamic-ip", "static-ip"]],
  [/\/source-translation\/dynamic-ip-and-port$/, ["translated-address", "interface-address"]],
  [/\/nat\/rules\/entry$/, ["destination-translation", "dynamic-destination-translation"]],
  [/\/pbf\/rules\/entry\/from$/, ["zone", "interface"]],
  [/\/pbf\/rules\/entry\/action$/, ["forward", "forward-to-vsys", "discard", "no-pbf"]],
];

/** Fields that name objects of the same vsys: the end of their path, and the lists that may hold the object. */
const NAMES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\/rules\/entry\/(source|destination)\/member$/, ["address", "address-group"]],
  [/\/address-group\/entry\/static\/member$/, ["address", "address-group"]],
  [/\/security\/rules\/entry\/(from|to)\/member$/, ["zone"]],
  [/\/security\/rules\/entry\/service\/member$/, ["service"]],
  [/\/security\/rules\/entry\/application\/member$/, ["application"]],
  [/\/profile-setting\/group\/member$/, ["profile-group"]],
];
const NAMES_NOTHING = new Set(["any", "application-default"]);

/** Returns the complaints of the device about a configuration. */
export function complaintsAbout(root: TreeNode): string[] {
  const found: string[] = [];
  visit(root, "/config", undefined, found);
  return found;
}

function visit(node: TreeNode, path: string, vsys: TreeNode | undefined, found: string[]): void {
  const tags = new Set(node.children.map(({ tag }) => tag));
  const groups = [EXCLUSIVE.get(path) ?? [], ...BELOW_EXCLUSIVE.filter(([ending]) => ending.test(path)).map(([, group]) => group)];
  for (const group of groups) {
    const live = group.filter((tag) => tags.has(tag));
    if (live.length > 1) found.push(`${path}: ${live.join(" and ")} exclude each other`);
  }
  const isRuleField = /\/(security|nat)\/rules\/entry\/[a-z-]+$/.test(path);
  if (isRuleField && MATCH_LISTS.includes(node.tag) && !(path.includes("/nat/") && node.tag === "service")) {
    if (node.children.length === 0) found.push(`${path} is empty, which means any`);
    if (node.children.length > 1 && node.children.some(({ text }) => text === "any"))
      found.push(`${path}: 'any' should not be used with another`);
  }
  if (ONE_MEMBER.test(path) && node.children.length > 1) found.push(`${path}: at most 1 occurrence`);
  const lists = NAMES.find(([ending]) => ending.test(path))?.[1];
  if (lists !== undefined && !NAMES_NOTHING.has(node.text) && !lists.some((list) => holds(vsys, list, node.text))) {
    found.push(`${path} '${node.text}' is not a valid reference`);
  }
  for (const child of node.children) {
    const scope = path.endsWith("/vsys") ? child : vsys;
    visit(child, `${path}/${child.tag}`, scope, found);
  }
}

function holds(vsys: TreeNode | undefined, list: string, name: string): boolean {
  return vsys?.children.find(({ tag }) => tag === list)?.children.some((entry) => entry.name === name) === true;
}
