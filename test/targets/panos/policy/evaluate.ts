import type { AnyOf, Match, Named, Policy, Rule, Unknown } from "../../../../src/reachability/flows/policy.js";
import type { Facts, Flow } from "./brute.js";

/** A flow with numeric addresses, and whether the unknown conditions hold for it. */
export interface Asked {
  readonly flow: Flow;
  readonly source: bigint;
  readonly destination: bigint;
  holds(unknown: Unknown, subject: bigint | string | undefined): boolean;
}

/** The rule of a policy that decides a flow, looked for one rule after the other. */
export function evaluate(policy: Policy, asked: Asked): { readonly rule: string; readonly allowed: boolean } {
  const rule = policy.rules.find((each) => matches(each, asked));
  return { rule: rule?.key.name ?? "none", allowed: (rule?.verdict ?? policy.otherwise) === "allow" };
}

function matches(rule: Rule, asked: Asked): boolean {
  const { flow, source, destination } = asked;
  const { type, from, to } = rule.zones;
  const isIn = (zones: "any" | readonly string[], zone: string) => zones === "any" || zones.includes(zone);
  if (!isIn(from, flow.from)) return false;
  if (type === "intrazone" ? flow.from !== flow.to : !isIn(to, flow.to)) return false;
  if (type === "interzone" && flow.from === flow.to) return false;
  const within = (value: bigint) => (range: { readonly first: bigint; readonly last: bigint }) =>
    range.first <= value && value <= range.last;
  return (
    inMatch(rule.source, within(source), source, asked) &&
    inMatch(rule.destination, within(destination), destination, asked) &&
    rule.conditions.every((anyOf) => isMet(anyOf, asked)) &&
    isUser(rule, asked) &&
    rule.traffic.some(
      ({ applications, services, conditions = [] }) =>
        inMatch(applications, (name) => name === flow.application, flow.application, asked) &&
        inMatch(
          services,
          ({ protocol, first, last, sourcePorts }) =>
            protocol === flow.protocol &&
            first <= flow.port &&
            flow.port <= last &&
            (sourcePorts === undefined || sourcePorts.some((range) => range.first <= flow.sourcePort && flow.sourcePort <= range.last)),
          undefined,
          asked,
        ) &&
        conditions.every((anyOf) => isMet(anyOf, asked)),
    )
  );
}

function isUser({ users }: Rule, asked: Asked): boolean {
  if (users === "any") return true;
  const { user } = asked.flow;
  const state = user === "unknown" || user === "pre-logon" ? user : "known";
  return users.states.includes(state) || (state === "known" && users.unknowns.some((unknown) => asked.holds(unknown, user)));
}

function isMet(anyOf: AnyOf, asked: Asked): boolean {
  return anyOf.some(({ unknown, holds }) => asked.holds(unknown, undefined) === holds);
}

function inMatch<Value>(match: Match<Value>, test: (value: Value) => boolean, subject: bigint | string | undefined, asked: Asked): boolean {
  return match === "any" || match.objects.some((object) => inNamed(object, test, subject, asked)) !== match.negated;
}

function inNamed<Value>(
  object: Named<Value>,
  test: (value: Value) => boolean,
  subject: bigint | string | undefined,
  asked: Asked,
): boolean {
  return (
    object.values.some(test) ||
    object.unknowns.some((unknown) => asked.holds(unknown, subject)) ||
    object.members.some((member) => inNamed(member, test, subject, asked))
  );
}

/** IPv4 as its own number, IPv6 as text of hexadecimal groups without dots. */
function numberOf(address: string): bigint {
  if (!address.includes(":"))
    return BigInt(
      `0x${address
        .split(".")
        .map((part) => Number(part).toString(16).padStart(2, "0"))
        .join("")}`,
    );
  const [left = "", right = ""] = address.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const filled = [...groups(left), ...Array<string>(8 - groups(left).length - groups(right).length).fill("0"), ...groups(right)];
  return BigInt(`0x${filled.map((group) => group.padStart(4, "0")).join("")}`);
}

/** Whether a flow has the type of a definition: `ICMP 8`, `ICMPv6 128`, `ICMP 3/1`. */
function isType(definition: string, { protocol, icmpType = "" }: Flow): boolean {
  const [word, wanted = ""] = definition.split(" ");
  return protocol === (word === "ICMP" ? 1 : 58) && (wanted === icmpType || wanted === icmpType.split("/")[0]);
}

/** The effect of facts on the unknown conditions of a policy. */
export function ask(flow: Flow, facts: Facts): Asked {
  const among = (key: string, subject: bigint | string | undefined) =>
    typeof subject === "bigint" && facts.addresses[key]?.some((text) => numberOf(text) === subject) === true;
  return {
    flow,
    source: numberOf(flow.source),
    destination: numberOf(flow.destination),
    holds({ kind, definition, name }, subject) {
      if (kind === "FQDN" || definition === `address ${name}`) return among(name, subject);
      if (kind === "external list") return among(definition.split(" ")[1] ?? "", subject);
      if (kind === "region") return among(definition, subject);
      if (kind === "registered addresses") return among(/<filter>(.*)<\/filter>/.exec(definition)?.[1] ?? "", subject);
      if (kind === "ICMP type") return isType(definition, flow);
      if (kind === "default port")
        return (
          facts.atHome[flow.application]?.includes(
            `${flow.protocol === 6 ? "tcp" : flow.protocol === 17 ? "udp" : "other"}/${flow.port}`,
          ) === true
        );
      if (kind === "application filter") return facts.selected?.[name]?.includes(flow.application) === true;
      if (kind === "application container") return false;
      if (kind === "user or group") return definition === flow.user;
      if (kind === "user group") return facts.members?.[definition]?.includes(flow.user) === true;
      return facts.holding.has(name);
    },
  };
}
