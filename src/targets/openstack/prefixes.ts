import { isIP } from "node:net";
import { canonicalNetwork, hextets } from "../../core/tree/canonical-network.js";
import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { withChildren } from "./map-children.js";

/** Returns the part of `some` networks that `others` do not cover. Partly covered networks are halved. Each is `ADDRESS/LENGTH`. */
export function networksWithout(some: readonly string[], others: readonly string[]): string[] {
  const taken = others.map(bitsOf);
  return some.flatMap((network) => outside(bitsOf(network), taken)).map(networkOf);
}

/** Returns the family and the leading bits of a network. */
function bitsOf(network: string): string {
  const [address = "", length = ""] = (canonicalNetwork(network) ?? network).split("/");
  if (isIP(address) === 4) return `4${joined(address.split("."), 10, 8).slice(0, Number(length))}`;
  const [left = [], right = []] = hextets(address);
  const zeros = new Array<string>(8 - left.length - right.length).fill("0");
  return `6${joined([...left, ...zeros, ...right], 16, 16).slice(0, Number(length))}`;
}

function joined(parts: readonly string[], base: number, width: number): string {
  return parts.map((part) => Number.parseInt(part, base).toString(2).padStart(width, "0")).join("");
}

function outside(network: string, taken: readonly string[]): string[] {
  if (taken.some((each) => network.startsWith(each))) return [];
  const within = taken.filter((each) => each.startsWith(network));
  return within.length === 0 ? [network] : ["0", "1"].flatMap((bit) => outside(network + bit, within));
}

function networkOf(bits: string): string {
  const [width, base, between] = bits.startsWith("4") ? [8, 10, "."] : [16, 16, ":"];
  const parts =
    bits
      .slice(1)
      .padEnd(bits.startsWith("4") ? 32 : 128, "0")
      .match(new RegExp(`.{${width}}`, "g")) ?? [];
  const address = parts.map((part) => Number.parseInt(part, 2).toString(base)).join(between);
  return canonicalNetwork(`${address}/${bits.length - 1}`) ?? "";
}

/** The service merges prefixes of a pool into larger ones, so equal address ranges are not a difference. */
export function poolAsShown(pool: DesiredNode, live: TreeNode): DesiredNode {
  const said = childByTag(pool, "prefixes") as DesiredNode | undefined;
  const shown = childByTag(live, "prefixes");
  if (said === undefined || shown === undefined || said.handling !== undefined) return pool;
  const [declared, standing] = [said, shown].map(({ children }) => children.map(({ text }) => text)) as [string[], string[]];
  if (networksWithout(declared, standing).length > 0 || networksWithout(standing, declared).length > 0) return pool;
  const members = shown.children.map(({ tag, text }) => new DesiredNode(tag, undefined, text, [], said));
  return withChildren(
    pool,
    pool.children.map((child) => (child === said ? withChildren(said, members) : child)),
  );
}
