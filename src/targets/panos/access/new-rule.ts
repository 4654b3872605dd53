import type { AccessRequest, Endpoint } from "../../../access/request.js";
import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, shapeAt } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { isDisabled, passes } from "../security-rule.js";
import { panosShape } from "../shape.js";

/** Settings that a new rule takes from most of the allow rules around it. */
const BY_CONVENTION = ["log-start", "log-end", "log-setting", "profile-setting", "tag", "group-tag", "option"];
/** Fields that a new rule does not restrict. It names them if its neighbour does. */
const UNRESTRICTED = ["source-user", "category", "source-hip", "destination-hip"];
const LONGEST_NAME = 63;

/** Lists of a new rule. */
export interface RuleWords {
  readonly source: string;
  readonly destination: string;
  readonly service: string;
}

/**
 * Returns a new rule for a request in the style of its neighbours: order of the fields, logs, profiles and tags.
 *
 * @param declared The declared ones of the rules.
 */
export function newRule(
  request: AccessRequest,
  words: RuleWords,
  rules: readonly TreeNode[],
  at: number,
  declared: readonly TreeNode[],
): TreeNode {
  const { from, to, application, note } = request;
  const model = nearestDeclared(rules, at, declared);
  const fixed = new Map<string, TreeNode>([
    ["from", list("from", from.zone)],
    ["to", list("to", to.zone)],
    ["source", list("source", words.source)],
    ["destination", list("destination", words.destination)],
    ["application", list("application", application)],
    ["service", list("service", words.service)],
    ["action", new TreeNode("action", undefined, "allow")],
    ["description", new TreeNode("description", undefined, note)],
  ]);
  for (const tag of UNRESTRICTED) if (model !== undefined && childByTag(model, tag) !== undefined) fixed.set(tag, list(tag, "any"));
  const allows = rules.filter((rule) => passes(rule) && !isDisabled(rule));
  for (const tag of BY_CONVENTION) {
    const value = usualChild(allows, tag);
    if (value !== undefined) fixed.set(tag, value);
  }
  const usual = (model?.children ?? []).map(({ tag }) => tag);
  const order = [...(usual.includes("description") ? [] : ["description"]), ...usual, ...fixed.keys()];
  const children = [...new Set(order)].flatMap((tag) => fixed.get(tag) ?? []);
  return new TreeNode("entry", ruleName(request, rules), "", children);
}

function list(tag: string, ...members: readonly string[]): TreeNode {
  return new TreeNode(
    tag,
    undefined,
    "",
    members.map((text) => new TreeNode("member", undefined, text)),
  );
}

/** Returns the nearest declared allow rule. Prefers rules above the position. */
function nearestDeclared(rules: readonly TreeNode[], at: number, declared: readonly TreeNode[]): TreeNode | undefined {
  const byName = new Map(declared.map((rule) => [rule.name, rule]));
  const isModel = (rule: TreeNode) => passes(rule) && !isDisabled(rule) && byName.has(rule.name);
  const found = rules.slice(0, at).findLast(isModel) ?? rules.slice(at).find(isModel);
  return byName.get(found?.name);
}

/** Returns the value that more than half of the rules have. Undefined if there is none, or if most rules do not have the setting. */
function usualChild(rules: readonly TreeNode[], tag: string): TreeNode | undefined {
  const shape = shapeAt(RULE.child(tag), panosShape());
  const counts = new Map<string, { readonly node: TreeNode; count: number }>();
  for (const rule of rules) {
    const node = childByTag(rule, tag);
    if (node === undefined) continue;
    const key = canonicalText(node, shape);
    const known = counts.get(key) ?? { node, count: 0 };
    known.count++;
    counts.set(key, known);
  }
  const most = [...counts.values()].sort((a, b) => b.count - a.count)[0];
  return most !== undefined && most.count * 2 > rules.length ? plainCopy(most.node) : undefined;
}

const RULE = "config devices entry vsys entry rulebase security rules entry".split(" ").reduce((path, tag) => path.child(tag), Path.root);

/** Drops the attributes of a device, such as the administrator and time of a change. */
function plainCopy({ tag, name, text, children }: TreeNode): TreeNode {
  return new TreeNode(tag, name, text, children.map(plainCopy));
}

function ruleName({ from, to, application }: AccessRequest, rules: readonly TreeNode[]): string {
  const taken = new Set(rules.map(({ name }) => name));
  const base = `${endText(from)}-to-${endText(to)}-${application}`
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, LONGEST_NAME - 4);
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(name)) return name;
  }
}

const endText = ({ address, zone }: Endpoint): string => address ?? zone;
