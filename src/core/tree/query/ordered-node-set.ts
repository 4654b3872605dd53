import { inDocumentOrder } from "./document-order.js";
import { type DomNode, stringValue } from "./dom.js";
import { type XNodeSet, type XValue, xpathPackage } from "./xpath-package.js";

const { XNodeSet: PackageNodeSet, XBoolean } = xpathPackage;

/**
 * A node set in document order. The node set of the package compares each added node with all others, and compares two sets node by node.
 */
export class OrderedNodeSet extends PackageNodeSet {
  /** The package identifies its types by this field. */
  static readonly superclass: unknown = PackageNodeSet.prototype;
  #texts: ReadonlySet<string> | undefined;

  /** @param nodes In document order, without duplicates. */
  static of(nodes: readonly DomNode[]): OrderedNodeSet {
    const set = new OrderedNodeSet();
    set.nodes = nodes as DomNode[];
    set.size = nodes.length;
    return set;
  }

  override addArray(nodes: readonly DomNode[]): void {
    this.nodes = [...inDocumentOrder([...this.nodes, ...nodes])];
    this.size = this.nodes.length;
    this.#texts = undefined;
  }

  override first(): DomNode | null {
    return this.nodes[0] ?? null;
  }

  override toArray(): DomNode[] {
    return [...this.nodes];
  }

  override union(other: XNodeSet): XNodeSet {
    return OrderedNodeSet.of(inDocumentOrder([...this.nodes, ...other.nodes]));
  }

  override stringForNode(node: DomNode): string {
    return stringValue(node);
  }

  /** Two sets are equal if they have at least one text in common. */
  override equals(other: XValue): XValue {
    if (!(other instanceof OrderedNodeSet)) return super.equals(other);
    const texts = other.texts;
    return new XBoolean(this.nodes.some((node) => texts.has(stringValue(node))));
  }

  get texts(): ReadonlySet<string> {
    this.#texts ??= new Set(this.nodes.map(stringValue));
    return this.#texts;
  }
}
