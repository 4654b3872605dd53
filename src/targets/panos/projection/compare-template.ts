import { find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { panosShape } from "../shape.js";
import { differencesOf, type PushDifference } from "./differences.js";
import { type Stack, templateFor } from "./stacks.js";

const CONFIG = Path.root.child("config");

/** Compares the pushed template of a firewall with its stack, and reports differences at the path of the stack or template. */
export function* templateDifferences(stack: Stack, found: TreeNode | undefined, serial: string): Generator<PushDifference> {
  const wanted = templateFor(stack, serial) ?? new TreeNode("config");
  for (const each of differencesOf(wanted, found ?? new TreeNode("config"), panosShape(), CONFIG))
    yield { ...each, path: placeOf(each.path, stack) };
}

function placeOf(path: Path, { layers }: Stack): Path {
  const layer = layers.find(({ config }) => find(config, path) !== undefined) ?? layers[0];
  return layer === undefined
    ? path
    : path
        .steps()
        .reduce(
          (at, { tag, name, text }) =>
            name !== undefined ? at.entry(name, tag) : text !== undefined ? at.member(text, tag) : at.child(tag),
          layer.path,
        );
}
