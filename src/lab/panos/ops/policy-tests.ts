import type { TreeNode } from "../../../core/tree/node.js";
import { escapeValue } from "../../../core/tree/xml/escape.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { result } from "../http/reply.js";
import { digitsOf } from "../traffic/addresses.js";
import { judge, type Session } from "../traffic/judge.js";
import { fields, type OperationCall, type OperationTable, textAt } from "./operation.js";

export const POLICY_TEST_OPERATIONS: OperationTable = {
  "test/security-policy-match": { needs: "extras", run: (call) => result(`<rules>${matched(call)}</rules>`) },
};

const PROTOCOLS: Readonly<Record<string, string>> = { "6": "tcp", "17": "udp", "132": "sctp" };

/** The rule that decides a session, by what is running. */
function matched({ device, node, vsys }: OperationCall): string {
  const { rule, action } = judge(device.running, { ...sessionOf(node), vsys: vsys ?? "vsys1" }, worldOf(device));
  return `<entry name="${escapeValue(rule)}">${fields([["action", action]])}</entry>`;
}

function worldOf(device: LabDevice) {
  return { resolves: device.options.resolves ?? {}, tags: device.userMappings.tags, now: device.clock.now() };
}

function sessionOf(node: TreeNode): Session {
  const needed = (tag: string, is: (text: string) => boolean): string => {
    const text = textAt(node, tag) ?? "";
    if (!is(text)) throw new DeviceError("17", ` test -> security-policy-match -> ${tag} is invalid`);
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
