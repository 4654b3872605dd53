import type { TreeNode } from "../../../core/tree/node.js";
import { child, vsysEntries } from "../state/system-facts.js";
import type { Session } from "./judge.js";
import { Objects, texts } from "./objects.js";
import { NOTHING_KNOWN, type World } from "./world.js";

/** A session before NAT. `to` is the zone of its original destination address. */
export interface Sent extends Omit<Session, "application"> {
  /** Egress interface before address translation. */
  readonly toInterface?: string;
}

/**
 * Returns the first NAT rule that matches a session, in its own direction or in the reverse direction of a bidirectional rule. Returns
 * undefined if no rule matches. Supports only IPv4.
 */
export function natRuleOf(config: TreeNode, sent: Sent, world: World = NOTHING_KNOWN): string | undefined {
  const vsys = vsysEntries(config).find(({ name }) => name === (sent.vsys ?? "vsys1"));
  if (vsys === undefined || sent.destination.includes(":")) return undefined;
  const objects = new Objects(vsys, config, world);
  const rules = child(child(child(vsys, "rulebase"), "nat"), "rules")?.children ?? [];
  return rules.find((rule) => meets(rule, sent, objects))?.name;
}

function meets(rule: TreeNode, sent: Sent, objects: Objects): boolean {
  const text = (tag: string) => child(rule, tag)?.text ?? "";
  if (text("disabled") === "yes" || !["", "ipv4"].includes(text("nat-type"))) return false;
  const fixed = child(child(rule, "source-translation"), "static-ip");
  const outside = child(fixed, "translated-address")?.text ?? "";
  const isWayBack = child(fixed, "bi-directional")?.text === "yes" && objects.hasAddress(outside, sent.destination);
  return isWayBack || matchesForward(rule, sent, objects);
}

function matchesForward(rule: TreeNode, sent: Sent, objects: Objects): boolean {
  const has = (tag: string, test: (member: string) => boolean) => {
    const members = texts(child(rule, tag));
    return members.length === 0 || members.includes("any") || members.some(test);
  };
  const leaves = child(rule, "to-interface")?.text ?? "any";
  const service = child(rule, "service")?.text ?? "any";
  const { protocol = "tcp", port, sourcePort = 40_000 } = sent;
  return (
    has("from", (zone) => zone === sent.from) &&
    has("to", (zone) => zone === sent.to) &&
    has("source", (member) => objects.hasAddress(member, sent.source)) &&
    has("destination", (member) => objects.hasAddress(member, sent.destination)) &&
    ["any", "", sent.toInterface].includes(leaves) &&
    objects.hasService(service, { protocol, port, sourcePort })
  );
}
