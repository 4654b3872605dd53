import type { TreeNode } from "../../../core/tree/node.js";
import { validate } from "../commit/commit.js";
import { revert } from "../commit/revert.js";
import type { Edit } from "../config/edit.js";
import { readXPath } from "../config/read.js";
import { performEdits, refuseWrites } from "../config/write.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { badXPath, noSuchNode, notAuthorized } from "../device-messages.js";
import { type Reply, result } from "../http/reply.js";
import { child } from "../state/system-facts.js";
import { last } from "../tree/config-tree.js";
import { locate } from "../tree/locate.js";
import { serialise } from "../tree/serialise.js";
import { type OperationCall, type OperationTable, textAt } from "./operation.js";

const MAX_NAME = 32;

export const CONFIGURATION_OPERATIONS: OperationTable = {
  "show/config/running": { needs: "extras", run: (call) => tree(call.device.running, call) },
  "show/config/effective-running": { needs: "extras", run: (call) => effective(call) },
  "show/config/candidate": { needs: "extras", run: (call) => tree(call.device.candidate.tree.root, call, true) },
  "show/config/merged": { needs: "extras", run: (call) => tree(call.device.candidate.tree.root, call, true) },
  "show/config/saved": { needs: "saved", run: (call) => tree(named(call.device, call.node.text), call) },
  "save/config/to": { needs: "saved", run: (call) => save(call) },
  "load/config/from": { needs: "saved", run: (call) => load(call, named(call.device, call.node.text), call.node.text) },
  "load/config/version": { needs: "saved", run: (call) => load(call, version(call.device, call.node.text), `version ${call.node.text}`) },
  "load/config/partial": { needs: "saved", run: (call) => loadPartial(call) },
  "delete/config/saved": { needs: "saved", run: (call) => forget(call) },
  "revert/config": { needs: "revert", run: ({ device, admin, node }) => revert(device, admin, child(node, "partial")) },
  "validate/full": { needs: "validate", run: ({ device, admin, jobFault }) => validate(device, admin, undefined, jobFault) },
  "validate/partial": { needs: "validate", run: ({ device, admin, node, jobFault }) => validate(device, admin, node, jobFault) },
};

function tree(root: TreeNode, { node }: OperationCall, marks = false): Reply {
  const text = textAt(node, "xpath");
  if (text === undefined) return result(serialise(root, { marks }));
  const xpath = readXPath(text);
  const chains = xpath === undefined ? [] : locate(root, xpath);
  return result(chains.length === 0 ? "" : joined(chains.map(last), marks));
}

function* joined(nodes: readonly TreeNode[], marks: boolean): Generator<string> {
  for (const node of nodes) yield* serialise(node, { marks });
}

function effective(call: OperationCall): Reply {
  if (call.admin.role.kind !== "superuser") throw notAuthorized("op");
  return tree(call.device.running, call);
}

function save({ device, node }: OperationCall): Reply {
  const name = node.text;
  if (name.length > MAX_NAME)
    throw new DeviceError("17", ` save -> config -> to can be at most ${MAX_NAME} characters, but current length: ${name.length}`);
  device.saved.byName.set(name, device.candidate.tree.freeze());
  return textReply(`Config saved to ${name}`);
}

function load({ device, admin }: OperationCall, root: TreeNode, name: string): Reply {
  const edit = { action: "load", root } as const;
  refuseWrites(device, admin, edit);
  performEdits(device, admin, [edit]);
  return textReply(`Config loaded from ${name}`);
}

/**
 * Copies the node at `from-xpath` of a saved configuration to `to-xpath` of the candidate: `merge` and `append` add it, `replace` replaces
 * (vendor: load config partial). A path without `/` starts below `/config`.
 */
function loadPartial({ device, admin, node }: OperationCall): Reply {
  const from = textAt(node, "from") ?? "";
  const [source, target] = [textAt(node, "from-xpath"), textAt(node, "to-xpath")].map((text = "") =>
    readXPath(text.startsWith("/") ? text : `/config/${text}`),
  );
  const mode = textAt(node, "mode");
  const [found] = source === undefined ? [] : locate(named(device, from), source);
  if (found === undefined || target === undefined) throw badXPath();
  if (mode !== "merge" && mode !== "append" && mode !== "replace")
    throw new DeviceError("17", ` load -> config -> partial -> mode '${mode}' is invalid`);
  const element = last(found);
  const edit: Edit =
    mode === "replace" ? { action: "edit", xpath: target, element } : { action: "set", xpath: target, elements: element.children };
  refuseWrites(device, admin, edit);
  performEdits(device, admin, [edit]);
  return textReply(`Config loaded from ${from}`);
}

function forget({ device, node }: OperationCall): Reply {
  if (!device.saved.byName.delete(node.text)) throw new DeviceError(undefined, `${node.text} does not exist`);
  return textReply(`${node.text} deleted`);
}

/** `running-config.xml` is the running configuration, `candidate-config` the candidate. */
function named(device: LabDevice, name: string): TreeNode {
  if (name === "running-config.xml") return device.running;
  if (name === "candidate-config" || name === "candidate-config.xml") return device.candidate.tree.freeze();
  const root = device.saved.byName.get(name);
  if (root === undefined) throw new DeviceError(undefined, `${name} does not exist`);
  return root;
}

export function version(device: LabDevice, number: string): TreeNode {
  const found = device.saved.versions[Number(number) - 1];
  if (found === undefined) throw noSuchNode();
  return found.root;
}

function textReply(text: string): Reply {
  return result(`<msg><line>${text}</line></msg>`);
}
