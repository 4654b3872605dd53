import { childByTag, find, pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { ListedReference } from "../../plan/unknown-names.js";
import { deviceEntry } from "./scope.js";

/** Tags of the path from the device entry to a value that names an interface. */
const ZONE = /^vsys\/entry\/zone\/entry\/network\/(layer3|layer2|virtual-wire|tap)\/member$/;
const OTHERS = /^network\/(virtual-router\/entry\/interface\/member|tunnel\/ipsec\/entry\/tunnel-interface)$/;

/** Lists of a manager whose entries contain the configuration of a device. */
const TEMPLATES = [deviceEntry.child("template"), deviceEntry.child("template-stack")];

/**
 * Returns the references to interfaces that a virtual system must import: those of a zone by its own virtual system, those of a virtual
 * router or a tunnel by any. A device answers others with "is not a valid reference" (docs/contributing/devices/panos.md). Templates of a manager are
 * included.
 */
export function importedInterfaces(root: DesiredNode): ListedReference[] {
  const found: ListedReference[] = [];
  for (const at of devicesIn(root)) {
    const device = find(root, at) as DesiredNode | undefined;
    if (device !== undefined) collect(device, at, { systems: at.child("vsys"), tags: "" }, found);
  }
  return found;
}

/** Returns the entries of devices: the device itself, and those in templates. */
function devicesIn(root: DesiredNode): Path[] {
  const below = TEMPLATES.flatMap((list) => (find(root, list)?.children ?? []).map((template) => pathOf(list, template).child("config")));
  const inTemplates = below.flatMap((config) => {
    const devices = config.child("devices");
    return (find(root, devices)?.children ?? []).map((device) => pathOf(devices, device));
  });
  return [deviceEntry, ...inTemplates];
}

/** Position in the configuration of a device. */
interface Position {
  /** The list of its virtual systems. */
  readonly systems: Path;
  /** Tags below the device, joined by `/`. */
  readonly tags: string;
}

function collect(node: DesiredNode, path: Path, { systems, tags }: Position, found: ListedReference[]): void {
  for (const child of node.children) {
    const below = { systems, tags: tags === "" ? child.tag : `${tags}/${child.tag}` };
    const at = pathOf(path, child);
    if (child.children.length > 0) collect(child, at, below, found);
    else if (child.declared && child.text !== "" && !child.text.includes("$")) addReference(child, at, below, found);
  }
}

function addReference({ text: value, origin }: DesiredNode, path: Path, { systems, tags }: Position, found: ListedReference[]): void {
  const system = ZONE.test(tags) ? path.steps().find(({ parent }) => parent?.equals(systems) === true) : undefined;
  if (system !== undefined) {
    const message = `Virtual system ${system.name ?? ""} does not import interface "${value}": the device refuses it in a zone. Add it to import: network: interface.`;
    found.push({ path, value, origin, list: system.child("import"), message, isListed: (tree) => isImported(value, find(tree, system)) });
  } else if (OTHERS.test(tags)) {
    const message = `No virtual system imports interface "${value}": the device refuses it here. Add it to import: network: interface of its virtual system.`;
    found.push({ path, value, origin, list: systems, message, isListed: (tree) => isImportedByAny(value, find(tree, systems)) });
  }
}

/** Undefined when the virtual system imports no interfaces at all, or its imports are not in the tree. */
function isImported(value: string, system: TreeNode | undefined): boolean | undefined {
  let list = system;
  for (const tag of ["import", "network", "interface"]) list = list && childByTag(list, tag);
  return list === undefined || list.children.length === 0 ? undefined : list.children.some(({ text }) => text === value);
}

function isImportedByAny(value: string, systems: TreeNode | undefined): boolean | undefined {
  const answers = systems?.children.map((system) => isImported(value, system)) ?? [];
  return answers.includes(true) ? true : answers.includes(false) ? false : undefined;
}
