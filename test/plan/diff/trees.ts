import { SecretValue } from "../../../src/core/secret.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { buildShape, type ShapeTable } from "../../../src/core/tree/shape-table.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { DesiredNode, type Handling, type Position } from "../../../src/desired/model.js";

/** A small tree with one of each kind of node, enough for every rule of docs/desired-state.md. */
const table: ShapeTable = {
  root: "@config",
  types: {
    config: {
      shared: { $: "container empty=absent global", address: "@address" },
      vsys: {
        $: "list structural scope",
        "display-name": "leaf",
        address: "@address",
        group: "@group",
        rules: "@rules",
        settings: {
          mode: "leaf default=auto",
          host: "leaf equality=caseless",
          net: "leaf equality=cidr",
          servers: "members ordered",
          key: "leaf secret",
        },
        import: { interface: "members shared" },
        mesh: { $: "list defines=mesh", ip: "leaf" },
      },
    },
    address: {
      $: "list defines=address namespace=address",
      "ip-netmask": "leaf choice=address",
      fqdn: "leaf choice=address",
      description: "leaf",
      tag: "members",
      password: "leaf secret",
    },
    group: { $: "list defines=group namespace=address", static: "members choice=kind refs=address,group", filter: "leaf choice=kind" },
    rules: {
      $: "list ordered uuid",
      source: "members match refs=address,group reserved=any",
      destination: "members match refs=address,group reserved=any",
      action: "leaf default=deny",
      description: "leaf",
      option: { log: "leaf", note: "leaf", extra: "leaf" },
    },
  },
};

export const shape = buildShape(table);

export function live(xml: string): TreeNode {
  return parseXml(xml);
}

/**
 * Desired state from XML, with settings of a document as attributes: `place`, `open`, `closed`, `keep`, `ignored`, `override`, `contiguous`
 * (any value), `was`, `secret`, `exclude="a b"`, `position="top"` or `position="after X"`. Entries and their content are closed, and so are
 * members, as in the loader.
 */
export function desired(xml: string): DesiredNode {
  return convert(parseXml(xml), false);
}

function convert(node: TreeNode, inEntry: boolean): DesiredNode {
  const said = (key: string): boolean => node.attributes?.has(key) === true;
  const isMembers = node.children[0]?.tag === "member";
  const within = !said("open") && !said("place") && (inEntry || node.name !== undefined);
  const closed = !said("place") && (said("closed") || ((within || isMembers) && !said("open") && !said("exclude")));
  const children = node.children.map((child) => convert(child, within));
  const facts = { origin: -1, prunes: closed, declared: !said("place"), handling: handlingOf(node) };
  return new DesiredNode(node.tag, node.name, node.text, children, facts);
}

function handlingOf({ attributes, text }: TreeNode): Handling | undefined {
  if (attributes === undefined) return undefined;
  const handling: { -readonly [key in keyof Handling]: Handling[key] } = {};
  if (attributes.has("keep")) handling.keep = true;
  if (attributes.has("ignored")) handling.ignored = true;
  if (attributes.has("override")) handling.override = true;
  if (attributes.has("contiguous")) handling.contiguous = true;
  const was = attributes.get("was");
  if (was !== undefined) handling.was = was;
  const secret = attributes.get("secret");
  if (secret !== undefined) handling.secret = new SecretValue(secret, text);
  const exclude = attributes.get("exclude");
  if (exclude !== undefined) handling.exclude = exclude.split(" ");
  const position = attributes.get("position");
  if (position !== undefined) handling.position = positionOf(position);
  return Object.keys(handling).length === 0 ? undefined : handling;
}

function positionOf(text: string): Position {
  const [where, anchor] = text.split(" ");
  if (where === "top" || where === "bottom") return { where };
  return { where: where === "before" ? "before" : "after", anchor: anchor ?? "" };
}
