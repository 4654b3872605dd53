import type { TreeNode } from "../../../core/tree/node.js";
import { child, vsysEntries } from "../state/system-facts.js";
import type { Flow } from "./flow.js";
import { hasPort, Objects, texts } from "./objects.js";
import { NOTHING_KNOWN, type World } from "./world.js";

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Decision of a rulebase for a flow. */
export interface Judgement {
  readonly vsys: string;
  readonly rule: string;
  /** Rulebase and group of a rule that a manager pushed: `pre-rulebase branch`. Empty for a rule of the firewall itself. */
  readonly origin: string;
  readonly uuid: string;
  /** `allow`, `deny`, `drop`, `reset-client` … */
  readonly action: string;
  readonly logged: boolean;
  /** Whether the rule has security profiles, which inspect the traffic that it allows. */
  readonly inspected: boolean;
}

/** A session for a policy test: a flow with any protocol and a source port. */
export interface Session extends Omit<Flow, "protocol"> {
  /** `tcp`, `udp`, `sctp` or a protocol number. Default: `tcp`. */
  readonly protocol?: string;
  readonly sourcePort?: number;
}

/**
 * Returns the decision of the first rule that matches, otherwise of the default rule. Default rules do not log unless the configuration
 * enables it. The lab assumes hosts without HIP profiles and web addresses without categories.
 *
 * @param pushed Policy that a manager pushed to the virtual system. Its default rules are not used.
 */
export function judge(config: TreeNode, session: Session, world: World = NOTHING_KNOWN, pushed?: TreeNode): Judgement {
  const name = session.vsys ?? "vsys1";
  const vsys = vsysEntries(config).find((entry) => entry.name === name);
  const rulebase = child(vsys, "rulebase");
  const local = child(child(rulebase, "security"), "rules")?.children ?? [];
  const rules = [...pushedRules(pushed, "pre-rulebase"), ...local, ...pushedRules(pushed, "post-rulebase")];
  const objects = vsys === undefined ? undefined : new Objects(vsys, config, world, pushed);
  const rule = objects === undefined ? undefined : firstMatch(rules, { session, objects, world, topDown: isTopDown(config) });
  if (rule !== undefined) return { ...judgementOf(name, rule, "allow", "yes"), origin: originOf(rule, pushed) };
  const fallback = session.from === session.to ? "intrazone-default" : "interzone-default";
  const overridden = child(child(rulebase, "default-security-rules"), "rules")?.children.find((each) => each.name === fallback);
  const action = fallback === "intrazone-default" ? "allow" : "deny";
  if (overridden !== undefined) return judgementOf(name, overridden, action, "no");
  return { vsys: name, rule: fallback, origin: "", uuid: "", action, logged: false, inspected: false };
}

type PushedRulebase = "pre-rulebase" | "post-rulebase";

/** Returns the security rules of a pushed policy. */
export function pushedRules(pushed: TreeNode | undefined, rulebase: PushedRulebase): readonly TreeNode[] {
  return child(child(child(pushed, rulebase), "security"), "rules")?.children ?? [];
}

/** Returns the rulebase and group of a pushed rule, which its attribute `loc` names. */
export function originOf(rule: TreeNode, pushed: TreeNode | undefined): string {
  const rulebase = (["pre-rulebase", "post-rulebase"] as const).find((tag) => pushedRules(pushed, tag).includes(rule));
  return rulebase === undefined ? "" : `${rulebase} ${rule.attributes?.get("loc") ?? ""}`;
}

function judgementOf(vsys: string, rule: TreeNode, action: string, logged: string): Judgement {
  return {
    vsys,
    rule: rule.name ?? "",
    origin: "",
    uuid: rule.attributes?.get("uuid") ?? "",
    action: child(rule, "action")?.text ?? action,
    logged: (child(rule, "log-end")?.text ?? logged) === "yes" || child(rule, "log-start")?.text === "yes",
    inspected: (child(rule, "profile-setting")?.children.length ?? 0) > 0,
  };
}

interface Question {
  readonly session: Session;
  readonly objects: Objects;
  readonly world: World;
  /** Whether rules with wildcard addresses are evaluated in order, like all other rules. */
  readonly topDown: boolean;
}

/**
 * Returns the first rule that matches. Of the rules whose wildcard prefix matches an address, only the rule with the longest prefix is
 * evaluated, unless `topDown` is set.
 */
function firstMatch(rules: readonly TreeNode[], question: Question): TreeNode | undefined {
  const prefixes = question.topDown ? [] : rules.map((rule) => prefixOf(rule, question));
  const longest = Math.max(-1, ...prefixes);
  const taken = prefixes.indexOf(longest);
  return rules.find((rule, at) => ((prefixes[at] ?? -1) === -1 || at === taken) && matches(rule, question));
}

function prefixOf(rule: TreeNode, { session, objects }: Question): number {
  if (child(rule, "disabled")?.text === "yes") return -1;
  const sides = ["source", "destination"] as const;
  return Math.max(-1, ...sides.flatMap((side) => texts(child(rule, side)).map((member) => objects.longestPrefix(member, session[side]))));
}

function matches(rule: TreeNode, { session, objects, world }: Question): boolean {
  if (child(rule, "disabled")?.text === "yes") return false;
  const some = (tag: string, test: (member: string) => boolean): boolean => {
    const members = texts(child(rule, tag));
    return members.length === 0 || members.some(test);
  };
  const negated = (tag: string): boolean => child(rule, tag)?.text === "yes";
  const named = (wanted: string) => (member: string) => member === "any" || member === wanted;
  return (
    isBetween(rule, session, some) &&
    some("source", (member) => objects.hasAddress(member, session.source)) !== negated("negate-source") &&
    some("destination", (member) => objects.hasAddress(member, session.destination)) !== negated("negate-destination") &&
    some("source-user", (member) => isUser(member, session.user)) &&
    some("application", (member) => objects.hasApplication(member, session.application)) &&
    some("service", (member) => isPermitted(member, session, objects)) &&
    ["source-hip", "destination-hip", "hip-profiles", "category"].every((tag) => some(tag, named("any"))) &&
    isInTime(child(rule, "schedule")?.text ?? "", objects, world)
  );
}

function isBetween(rule: TreeNode, { from, to }: Session, some: (tag: string, test: (member: string) => boolean) => boolean): boolean {
  const type = child(rule, "rule-type")?.text;
  const isIn = (tag: string, zone: string) => some(tag, (member) => member === "any" || member === zone);
  if (type === "intrazone") return from === to && isIn("from", from);
  return isIn("from", from) && isIn("to", to) && !(type === "interzone" && from === to);
}

function isUser(member: string, user: string | undefined): boolean {
  if (member === "any") return true;
  if (user === undefined || user === "unknown") return member === "unknown";
  return member === user || (member === "known-user" && user !== "pre-logon");
}

function isInTime(name: string, objects: Objects, { now }: World): boolean {
  const schedule = objects.find("schedule", name);
  return name === "" || (schedule !== undefined && isWithin(schedule, now));
}

/** Default ports of predefined applications. Any other predefined application is allowed on every port. */
const AT_HOME: ReadonlyMap<string, readonly number[]> = new Map([
  ["web-browsing", [80]],
  ["ssl", [443]],
  ["ssh", [22]],
  ["dns", [53]],
  ["smtp", [25]],
  ["ntp", [123]],
]);

/** Protocols of custom applications with an ICMP type. */
const IDENTIFIED = [
  ["ident-by-icmp-type", "1"],
  ["ident-by-icmp6-type", "58"],
] as const;

function isPermitted(member: string, session: Session, objects: Objects): boolean {
  const { application, protocol = "tcp", port, sourcePort = 40_000 } = session;
  if (member !== "application-default") return objects.hasService(member, { protocol, port, sourcePort });
  const custom = objects.find("application", application);
  if (custom === undefined) return AT_HOME.get(application)?.includes(port) ?? true;
  const defaults = child(custom, "default");
  // Sessions of the lab have no ICMP type.
  const identified = child(defaults, "ident-by-ip-protocol")?.text ?? IDENTIFIED.find(([tag]) => child(defaults, tag) !== undefined)?.[1];
  if (identified !== undefined) return protocol === identified;
  const ports = texts(child(defaults, "port"));
  return (
    ports.length === 0 ||
    ports.some((row) => {
      const [word = "", list = ""] = row.split("/");
      return word === protocol && (list === "dynamic" || hasPort(list, port));
    })
  );
}

function isTopDown(config: TreeNode): boolean {
  const setting = child(child(child(child(config, "devices"), "entry"), "deviceconfig"), "setting");
  return child(child(setting, "management"), "wildcard-topdown-match-mode")?.text === "yes";
}

/** Whether a schedule holds at a time, in UTC as the lab's clock is. */
function isWithin(schedule: TreeNode, now: number): boolean {
  if (Number.isNaN(now)) return false;
  const type = child(schedule, "schedule-type");
  const recurring = child(type, "recurring");
  const time = new Date(now).toISOString();
  const [minute, date] = [time.slice(11, 16), `${time.slice(0, 10).replaceAll("-", "/")}@${time.slice(11, 16)}`];
  const holds = (list: TreeNode | undefined, at: string): boolean =>
    list?.children.some(({ text }) => {
      const [from = "", to = ""] = text.split(/(?<=:\d\d)-/);
      return from <= at && at <= to;
    }) === true;
  return (
    holds(child(recurring, "daily"), minute) ||
    holds(child(child(recurring, "weekly"), DAYS[new Date(now).getUTCDay()] ?? ""), minute) ||
    holds(child(type, "non-recurring"), date)
  );
}
