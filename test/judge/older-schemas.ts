import { DOMParser, type Element, type Node } from "@xmldom/xmldom";

/** The schema of one older version, as `lib/resources` of pan-os-php holds it. */
export interface OlderSchema {
  /** Version in the name of the file, such as `v81`. */
  readonly version: string;
  /** Definitions at the tags of a path below `config`. Empty if the version does not know the path. */
  readonly at: (tags: readonly string[]) => readonly Definition[];
}

/** Definition of a leaf, or of an element with children. */
export type Definition =
  | { readonly kind: "text"; readonly longest: number | undefined }
  | { readonly kind: "number"; readonly from: number; readonly to: number }
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "other" };

const NODES = new Set(["sequence", "choice", "array", "union", "element"]);

/** Reads a schema. Choices and unions without a name group elements and are no step of a path. */
export function readOlderSchema(version: string, xml: string): OlderSchema {
  const document = new DOMParser({ onError: () => {} }).parseFromString(xml.trimStart(), "text/xml");
  const root = document.documentElement as Element;
  const below = new Map<Element, Map<string, Element[]>>();
  const named = (element: Element): Map<string, Element[]> => {
    const known = below.get(element);
    if (known !== undefined) return known;
    const made = new Map<string, Element[]>();
    for (const child of childrenOf(element))
      made.set(child.getAttribute("name") ?? "", [...(made.get(child.getAttribute("name") ?? "") ?? []), child]);
    below.set(element, made);
    return made;
  };
  const at = (tags: readonly string[]): Definition[] =>
    tags.reduce<Element[]>((places, tag) => places.flatMap((place) => named(place).get(tag) ?? []), [root]).map(definitionOf);
  return { version, at };
}

function* childrenOf(element: Element): Generator<Element> {
  for (const node of elementsOf(element)) {
    if (!NODES.has(node.tagName)) continue;
    if (node.getAttribute("name") === null) yield* childrenOf(node);
    else yield node;
  }
}

function elementsOf(element: Element): Element[] {
  return [...element.childNodes].filter((node: Node): node is Element => node.nodeType === node.ELEMENT_NODE);
}

function definitionOf(element: Element): Definition {
  const number = (name: string): number | undefined =>
    element.getAttribute(name) === null ? undefined : Number(element.getAttribute(name));
  const words = elementsOf(element).flatMap((child) => (child.tagName === "enum" ? (child.getAttribute("value") ?? []) : []));
  const type = element.getAttribute("type");
  if (type === "bool") return { kind: "words", words: ["yes", "no"] };
  if (words.length > 0) return { kind: "words", words };
  if (type === "string") return { kind: "text", longest: number("maxlen") };
  const [from, to] = [number("min"), number("max")];
  if (type === "rangedint" && from !== undefined && to !== undefined) return { kind: "number", from, to };
  return { kind: "other" };
}
