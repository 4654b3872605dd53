import type { DomNode } from "./dom.js";
import { AXIS, NODE_TEST, type PathStep } from "./xpath-package.js";

/** Node test of a step. `elementsOnly`: only elements can match, so texts need not be created. */
export interface NodeTest {
  readonly elementsOnly: boolean;
  matches(node: DomNode): boolean;
}

const ANY_NODE: NodeTest = { elementsOnly: false, matches: () => true };
/** Matches nodes that can have children or attributes. */
export const ANY_PARENT: NodeTest = { elementsOnly: true, matches: ({ nodeType }) => nodeType === 1 || nodeType === 9 };
const TEXT: NodeTest = { elementsOnly: false, matches: ({ nodeType }) => nodeType === 3 };
const NOTHING: NodeTest = { elementsOnly: true, matches: () => false };

/** Returns the test of a step. The parser has already refused prefixes: trees have no namespaces. */
export function nodeTestOf({ axis, nodeTest: { type, name } }: PathStep): NodeTest {
  const principal = axis === AXIS.attribute ? 2 : 1;
  switch (type) {
    case NODE_TEST.anyName:
      return { elementsOnly: true, matches: ({ nodeType }) => nodeType === principal };
    case NODE_TEST.name:
      return { elementsOnly: true, matches: ({ nodeType, nodeName }) => nodeType === principal && nodeName === name };
    case NODE_TEST.text:
      return TEXT;
    case NODE_TEST.node:
      return ANY_NODE;
    default:
      return NOTHING;
  }
}
