import type { DesignConventions } from "../../../access/designer.js";
import type { AccessRequest, Endpoint } from "../../../access/request.js";
import { freeName } from "../../../access/rule-name.js";
import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, shapeAt } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { isDisabled, passes } from "../security-rule.js";
import { panosShape } from "../shape.js";

/** Settings that a new rule takes from most of the rules around it that allow or deny as it does. */
const BY_CONVENTION = ["log-start", "log-end", "log-setting", "profile-setting", "tag", "group-tag", "option"];
/** Fields that a new rule does not restrict. It names them if its neighbour does. */
const UNRESTRICTED = ["source-user", "category"];
const LONGEST_NAME = 63;
const USUAL_NAME = "{from}-to-{to}-{application}";

/** Lists of a new rule. */
export interface RuleWords {
  readonly source: string;
  readonly destination: string;
  readonly service: string;
}

/** Rules around a new rule. */
interface Around {
  readonly rules: readonly TreeNode[];
  /** Index of the new rule. */
  readonly at: number;
  /** The declared ones of the rules. */
  readonly declared: readonly TreeNode[];
  /** Names that a new rule must not have. */
  readonly taken: ReadonlySet<string>;
  readonly conventions: DesignConventions | undefined;
}

/**
 * Returns a new rule for a request. The order of its fields follows its neighbours. Logs, profiles, tags and the name follow the
 * conventions of the repository, or most of the other allow rules. `notes` contains the origin of these settings.
 */
export function newRule(
  request: AccessRequest,
  words: RuleWords,
  { rules, at, declared, taken, conventions = {} }: Around,
): { readonly entry: TreeNode; readonly notes: readonly string[] } {
  const { from, to, application, note } = request;
  const model = nearestDeclared(rules, at, declared);
  const fixed = new Map<string, TreeNode>([
    ["from", list("from", from.zone)],
    ["to", list("to", to.zone)],
    ["source", list("source", words.source)],
    ["destination", list("destination", words.destination)],
    ["application", list("application", application)],
    ["service", list("service", words.service)],
    ["action", new TreeNode("action", undefined, request.action ?? "allow")],
    ["description", new TreeNode("description", undefined, note)],
  ]);
  if (request.user !== undefined) fixed.set("source-user", list("source-user", request.user));
  for (const tag of UNRESTRICTED)
    if (!fixed.has(tag) && model !== undefined && childByTag(model, tag) !== undefined) fixed.set(tag, list(tag, "any"));
  const isAlike = (rule: TreeNode) => passes(rule) === (request.action === undefined) && !isDisabled(rule);
  const alike = rules.filter(isAlike);
  const { profileGroup: _, ...ofEveryRule } = conventions;
  const set = settingsOf(request.action === "deny" ? ofEveryRule : conventions);
  const usual = BY_CONVENTION.filter((tag) => !set.has(tag)).flatMap((tag) => usualChild(alike, tag) ?? []);
  for (const node of [...[...set.values()].flatMap((each) => each ?? []), ...usual]) fixed.set(node.tag, node);
  const order = (model?.children ?? []).map(({ tag }) => tag);
  const all = [...(order.includes("description") ? [] : ["description"]), ...order, ...fixed.keys()];
  const children = [...new Set(all)].flatMap((tag) => fixed.get(tag) ?? []);
  const notes =
    usual.length === 0 ? [] : [`As most of the other ${request.action ?? "allow"} rules: ${usual.map(settingText).join(", ")}.`];
  return { entry: new TreeNode("entry", ruleName(request, taken, conventions.ruleName ?? USUAL_NAME), "", children), notes };
}

/** Returns the settings that the conventions name. Undefined: the rule does not have the setting. */
function settingsOf({ tags, logSetting, profileGroup }: DesignConventions): ReadonlyMap<string, TreeNode | undefined> {
  const group = (name: string) => new TreeNode("profile-setting", undefined, "", [list("group", name)]);
  return new Map<string, TreeNode | undefined>([
    ...(tags === undefined ? [] : [["tag", tags.length === 0 ? undefined : list("tag", ...tags)] as const]),
    ...(logSetting === undefined ? [] : [["log-setting", new TreeNode("log-setting", undefined, logSetting)] as const]),
    ...(profileGroup === undefined ? [] : [["profile-setting", group(profileGroup)] as const]),
  ]);
}

/** Returns a setting for a note: `log-setting to-siem`. */
function settingText(node: TreeNode): string {
  const texts = (each: TreeNode): string[] => (each.children.length === 0 ? [each.text] : each.children.flatMap(texts));
  return `${node.tag} ${texts(node).join(" ")}`.trim();
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
  return most !== undefined && most.count * 2 > rules.length && !isDefault(most.node) ? plainCopy(most.node) : undefined;
}

/** Returns whether a setting has the same meaning as its absence. */
function isDefault({ tag, text, children }: TreeNode): boolean {
  if (tag === "option") return children.every((child) => child.text === "no");
  return (tag === "log-start" && text === "no") || (tag === "log-end" && text === "yes");
}

const RULE = "config devices entry vsys entry rulebase security rules entry".split(" ").reduce((path, tag) => path.child(tag), Path.root);

/** Drops the attributes of a device, such as the administrator and time of a change. */
function plainCopy({ tag, name, text, children }: TreeNode): TreeNode {
  return new TreeNode(tag, name, text, children.map(plainCopy));
}

function ruleName(
  { from, to, service, application: named, note, action }: AccessRequest,
  taken: ReadonlySet<string>,
  pattern: string,
): string {
  const application = named === "any" ? service : named;
  const words = { from: endText(from), to: endText(to), service, application, note };
  return freeName(pattern, words, (name) => taken.has(name), { prefix: action === undefined ? "" : `${action}-`, longest: LONGEST_NAME });
}

const endText = ({ address, zone }: Endpoint): string => address ?? zone;
