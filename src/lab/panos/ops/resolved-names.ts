import { isIP } from "node:net";
import type { TreeNode } from "../../../core/tree/node.js";
import { escapeText } from "../../../core/tree/xml/escape.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { type Reply, result } from "../http/reply.js";
import { child, vsysEntries } from "../state/system-facts.js";
import { covers } from "../traffic/addresses.js";
import { Objects, texts } from "../traffic/objects.js";
import { NOTHING_KNOWN } from "../traffic/world.js";
import { fields, type OperationCall, type OperationTable, textAt } from "./operation.js";

export const LOOK_UP_OPERATIONS: OperationTable = {
  "show/dns-proxy/fqdn": { needs: "extras", run: ({ device }) => result(escapeText(fqdnTable(device))) },
  "request/system/external-list/show/type/ip": { needs: "extras", run: (call) => externalList(call) },
};

/** Maximum number of addresses per name and address family. */
const KEPT = 32;

/** Returns the device's table of resolved addresses for every FQDN that a rule uses, in the printed format. */
function fqdnTable(device: LabDevice): string {
  const systems = vsysEntries(device.running);
  const names = new Set(systems.flatMap((vsys) => namesIn(vsys, device.running)));
  const rule = "-".repeat(80);
  const scopes = ["Shared", ...systems.map(({ name }) => name)].map((scope) => `\t${scope}`);
  const time = new Date(device.clock.now()).toISOString().slice(0, 19).replace("T", " ");
  const blocks = [...names].sort().map((name) => {
    const known = device.options.traffic?.resolves?.[name] ?? [];
    const of = (family: number) => known.filter((each) => isIP(each) === family).slice(0, KEPT);
    const six = of(6);
    return [name, ...[...of(4), ...(six.length === 0 ? ["::  unknown"] : six)].map((each) => `\t${each}`), ""];
  });
  const head = [
    `FQDN Table : Request time ${time}`,
    rule,
    "\tIP Address",
    rule,
    "",
    "VSYS : (using mgmt-obj dnsproxy object)",
    ...scopes,
    "",
  ];
  return `${[...head, ...blocks.flat()].join("\n")}\n`;
}

/** Returns the FQDNs of all rule members, including the members of groups. */
function namesIn(vsys: TreeNode, config: TreeNode): string[] {
  const objects = new Objects(vsys, config, NOTHING_KNOWN);
  const open = [...membersOf(child(vsys, "rulebase"))];
  const seen = new Set(open);
  const found: string[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const fqdn = child(objects.find("address", at), "fqdn")?.text;
    if (fqdn !== undefined) found.push(fqdn);
    for (const member of texts(child(objects.find("address-group", at), "static"))) {
      if (!seen.has(member)) open.push(member);
      seen.add(member);
    }
  }
  return found;
}

function* membersOf(node: TreeNode | undefined): Generator<string> {
  for (const each of node?.children ?? [])
    if (each.tag === "source" || each.tag === "destination") yield* texts(each);
    else yield* membersOf(each);
}

/**
 * Returns one page of the entries of an external list. A device with several virtual systems refuses the command, because it requires a
 * target vsys first.
 */
function externalList({ device, node }: OperationCall): Reply {
  const [name = "", anchor = "1", most = "100"] = ["name", "anchor", "num-records"].map((tag) => textAt(node, tag));
  const [vsys, ...others] = vsysEntries(device.running);
  const list = vsys && new Objects(vsys, device.running, NOTHING_KNOWN).find("external-list", name);
  const url = textAt(list ?? node, "type", "ip", "url");
  if (vsys === undefined || others.length > 0 || url === undefined)
    throw new DeviceError("17", `${name} is invalid name.Current target-vsys is ${others.length > 0 ? "None" : vsys?.name}`);
  const fetched = device.options.traffic?.resolves?.[url];
  const valid = (fetched ?? []).filter((each) => covers(each, each.split(/[-/]/)[0] ?? ""));
  const page = valid.slice(Number(anchor) - 1, Number(anchor) - 1 + Number(most));
  const counts = fields([
    ["vsys", vsys.name ?? ""],
    ["name", name],
    ["total-valid", String(valid.length)],
    ["total-ignored", "0"],
    ["total-invalid", String(fetched === undefined ? 1 : fetched.length - valid.length)],
  ]);
  const members = page.length === 0 ? "" : `<valid-members>${fields(page.map((each) => ["member", each] as const))}</valid-members>`;
  return result(`<external-list>${counts}${members}</external-list>`);
}
