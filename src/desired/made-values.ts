import { PlumblineError } from "../core/errors.js";
import type { Shape } from "../core/tree/shape.js";
import { indexOfNonXml } from "../core/tree/xml/characters.js";
import type { PendingValue } from "./body/context.js";
import { checkText } from "./leaf-types.js";
import type { DesiredNode } from "./model.js";
import type { Piece } from "./settled.js";

/** Where a value came from, in words. */
export interface Origin {
  readonly text: string;
  readonly isLive: boolean;
}

export interface Evaluation {
  /** One piece list for each value: several only where one reference stands for several members. */
  readonly values: readonly (readonly Piece[])[];
  readonly origins: readonly Origin[];
}

/** Where a value stands that a reference makes: what is known of the leaf, member or entry, and of what it stands in. */
export interface MadePlace {
  readonly shape: Shape;
  readonly above: Shape;
}

/** Places of those nodes of a tree that `wanted` holds. */
export function placesOf(root: DesiredNode, shape: Shape, wanted: ReadonlyMap<DesiredNode, unknown>): Map<DesiredNode, MadePlace> {
  const places = new Map<DesiredNode, MadePlace>();
  const walk = (node: DesiredNode, of: Shape): void => {
    for (const child of node.children) {
      if (places.size === wanted.size) return;
      const inner = of.child(child.tag);
      if (wanted.has(child)) places.set(child, { shape: inner, above: of });
      if (child.children.length > 0) walk(child, inner);
    }
  };
  walk(root, shape);
  return places;
}

/**
 * What is wrong with values that references to other targets made: each must be of the leaf's type
 * (docs/desired-state.md#references-and-secrets).
 */
export function checkMade(
  { values, origins }: Evaluation,
  node: DesiredNode,
  { template, where }: PendingValue,
  place: MadePlace,
): PlumblineError[] {
  const references = template.filter((part) => typeof part !== "string");
  if (!references.every(({ kind }) => kind === "target" || kind === "local")) return [];
  const by = references.map(({ text }) => text).join(" and ");
  const from = [...new Set(origins.map(({ text }) => text))];
  return values.flatMap((pieces) => {
    if (!pieces.every((piece) => typeof piece === "string")) return [];
    const text = pieces.join("");
    const expected = problemOf(text, node, place);
    if (expected === undefined) return [];
    const message = `${shown(text)} is not ${expected}. It comes from ${by}${from.length === 0 ? "" : ` (${from.join(", ")})`}.`;
    return [new PlumblineError("value-type", message, { where, next: "Lead the reference to another value, or write the value here." })];
  });
}

const MOST_SHOWN = 80;

/** Longest name that any list takes. */
const LONGEST_NAME = 127;

/**
 * What a value that came from elsewhere should have been, in words; undefined when it is. Nobody reads such a value before it
 * is written, so it is held to more than one that stands in a document: a word that means all, as `any` does, is none.
 */
function problemOf(text: string, node: DesiredNode, { shape, above }: MadePlace): string | undefined {
  const inList = node.tag === "member" || node.name !== undefined;
  if (text.trim() === "") return "a value: it is empty";
  if (indexOfNonXml(text) !== -1) return "text that can be written: it holds a control character";
  if (inList && /[\t\n\r]/.test(text)) return "one value: it holds a line break or a tab";
  if (shape.reserved.has(text) || above.reserved.has(text))
    return `a value: the platform takes "${text}" for a word of its own; write it in the document where it is meant`;
  const type = shape.type ?? (inList ? above.type : undefined);
  if (type !== undefined) return checkText(type, text);
  const refers = shape.references.length > 0 || (inList && above.references.length > 0);
  return refers && !isName(text) ? `the name of an object, of at most ${LONGEST_NAME} characters and without blanks around it` : undefined;
}

function isName(text: string): boolean {
  return text === text.trim() && [...text].length <= LONGEST_NAME && !/[\n\r\t]/.test(text);
}

/** On one line, and no longer than a line. */
function shown(text: string): string {
  return JSON.stringify(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
}
