import type { TreeNode } from "../../../core/tree/node.js";
import { child, vsysEntries } from "../state/facts.js";
import type { Flow } from "./flow.js";
import { Objects, texts } from "./objects.js";

/** What a rulebase makes of a flow. */
export interface Judgement {
  readonly vsys: string;
  readonly rule: string;
  readonly uuid: string;
  /** `allow`, `deny`, `drop`, `reset-client` … */
  readonly action: string;
  readonly logged: boolean;
  /** The rule has profiles that look into what it allows. */
  readonly inspected: boolean;
}

/** The first rule that a flow matches, else the default rule, as the configuration has them (they do not log unless told to). */
export function judge(config: TreeNode, flow: Flow): Judgement {
  const name = flow.vsys ?? "vsys1";
  const vsys = vsysEntries(config).find((entry) => entry.name === name);
  const rulebase = child(vsys, "rulebase");
  const rules = child(child(rulebase, "security"), "rules")?.children ?? [];
  const objects = vsys === undefined ? undefined : new Objects(vsys, config);
  const rule = objects === undefined ? undefined : rules.find((each) => matches(each, flow, objects));
  if (rule !== undefined) return judgementOf(name, rule, "allow", "yes");
  const fallback = flow.from === flow.to ? "intrazone-default" : "interzone-default";
  const overridden = child(child(rulebase, "default-security-rules"), "rules")?.children.find((each) => each.name === fallback);
  const action = fallback === "intrazone-default" ? "allow" : "deny";
  if (overridden !== undefined) return judgementOf(name, overridden, action, "no");
  return { vsys: name, rule: fallback, uuid: "", action, logged: false, inspected: false };
}

function judgementOf(vsys: string, rule: TreeNode, action: string, logged: string): Judgement {
  return {
    vsys,
    rule: rule.name ?? "",
    uuid: rule.attributes?.get("uuid") ?? "",
    action: child(rule, "action")?.text ?? action,
    logged: (child(rule, "log-end")?.text ?? logged) === "yes" || child(rule, "log-start")?.text === "yes",
    inspected: (child(rule, "profile-setting")?.children.length ?? 0) > 0,
  };
}

function matches(rule: TreeNode, flow: Flow, objects: Objects): boolean {
  if (child(rule, "disabled")?.text === "yes") return false;
  const some = (tag: string, test: (member: string) => boolean): boolean => {
    const members = texts(child(rule, tag));
    return members.length === 0 || members.some(test);
  };
  const negated = (tag: string): boolean => child(rule, tag)?.text === "yes";
  const named = (wanted: string) => (member: string) => member === "any" || member === wanted;
  return (
    some("from", named(flow.from)) &&
    some("to", named(flow.to)) &&
    some("source", (member) => objects.hasAddress(member, flow.source)) !== negated("negate-source") &&
    some("destination", (member) => objects.hasAddress(member, flow.destination)) !== negated("negate-destination") &&
    some("source-user", named(flow.user ?? "any")) &&
    some("application", (member) => objects.hasApplication(member, flow.application)) &&
    some("service", (member) => isPermitted(member, flow, objects))
  );
}

/** Ports on which applications are at home; any other application is at home everywhere. */
const AT_HOME: ReadonlyMap<string, readonly number[]> = new Map([
  ["web-browsing", [80]],
  ["ssl", [443]],
  ["ssh", [22]],
  ["dns", [53]],
  ["smtp", [25]],
  ["ntp", [123]],
]);

function isPermitted(member: string, { application, protocol = "tcp", port }: Flow, objects: Objects): boolean {
  if (member === "application-default") return AT_HOME.get(application)?.includes(port) ?? true;
  return objects.hasService(member, protocol, port);
}
