import type { TreeNode } from "../../../core/tree/node.js";
import { escapeValue } from "../../../core/tree/xml/escape.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { result } from "../http/reply.js";
import { digitsOf } from "../traffic/addresses.js";
import { judge, type Session } from "../traffic/judge.js";
import { routeOf } from "../traffic/route.js";
import { natRuleOf } from "../traffic/translate.js";
import { fields, type OperationCall, type OperationTable, textAt } from "./operation.js";

export const POLICY_TEST_OPERATIONS: OperationTable = {
  "test/security-policy-match": { needs: "extras", run: (call) => result(`<rules>${matched(call)}</rules>`) },
  "test/nat-policy-match": { needs: "extras", run: (call) => result(`<rules>${translating(call)}</rules>`) },
  "test/routing/fib-lookup": { needs: "extras", run: (call) => result(routed(call)) },
};

const PROTOCOLS: Readonly<Record<string, string>> = { "6": "tcp", "17": "udp", "132": "sctp" };

/** Returns the rule that decides a session in the running configuration. */
function matched({ device, node, vsys }: OperationCall): string {
  const { rule, action } = judge(device.running, { ...sessionOf(node), vsys: vsys ?? "vsys1" }, worldOf(device));
  return `<entry name="${escapeValue(rule)}">${fields([["action", action]])}</entry>`;
}

/** Returns the NAT rule that matches a session in the running configuration, or an empty text if no rule matches. */
function translating({ device, node, vsys }: OperationCall): string {
  const toInterface = textAt(node, "to-interface");
  const sent = { ...sessionOf(node, "nat-policy-match"), ...(toInterface === undefined ? {} : { toInterface }), vsys: vsys ?? "vsys1" };
  const rule = natRuleOf(device.running, sent, worldOf(device));
  return rule === undefined ? "" : `<entry>${escapeValue(rule)}</entry>`;
}

/** Returns the interface and next hop of a virtual router for an address, or an empty text if there is no route. */
function routed({ device, node }: OperationCall): string {
  const [router = "", address = ""] = [textAt(node, "virtual-router"), textAt(node, "ip")];
  if (digitsOf(address) === undefined) throw new DeviceError("17", " test -> routing -> fib-lookup -> ip is invalid");
  const hop = routeOf(device.running, router, address);
  if (hop === undefined) return "";
  return fields([
    ["nh", hop.next === undefined ? "local" : "ip"],
    ["ip", hop.next ?? address],
    ["interface", hop.interface],
    ["dp", "dp0"],
  ]);
}

function worldOf(device: LabDevice) {
  return { resolves: device.options.traffic?.resolves ?? {}, tags: device.userMappings.tags, now: device.clock.now() };
}

function sessionOf(node: TreeNode, command = "security-policy-match"): Session {
  const needed = (tag: string, is: (text: string) => boolean): string => {
    const text = textAt(node, tag) ?? "";
    if (!is(text)) throw new DeviceError("17", ` test -> ${command} -> ${tag} is invalid`);
    return text;
  };
  const isAddress = (text: string) => digitsOf(text) !== undefined;
  const isNumber = (most: number) => (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= most;
  const protocol = needed("protocol", isNumber(255));
  const port = textAt(node, "destination-port");
  const from = textAt(node, "source-port");
  return {
    from: textAt(node, "from") ?? "any",
    to: textAt(node, "to") ?? "any",
    source: needed("source", isAddress),
    destination: needed("destination", isAddress),
    application: textAt(node, "application") ?? "any",
    protocol: PROTOCOLS[protocol] ?? protocol,
    port: port === undefined ? 0 : Number(needed("destination-port", isNumber(65_535))),
    ...(from === undefined ? {} : { sourcePort: Number(needed("source-port", isNumber(65_535))) }),
    user: textAt(node, "source-user") ?? "unknown",
  };
}
