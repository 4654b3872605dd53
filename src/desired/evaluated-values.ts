import { PlumblineError } from "../core/errors.js";
import type { Shape } from "../core/tree/shape.js";
import { indexOfNonXml } from "../core/tree/xml/characters.js";
import type { PendingValue } from "./body/context.js";
import { checkText } from "./leaf-types.js";
import type { DesiredNode } from "./model.js";
import type { Piece } from "./resolved-value.js";

/** Source of a value, as text. */
export interface Origin {
  readonly text: string;
  readonly isLive: boolean;
}

export interface Evaluation {
  /** One list of pieces per value. Several values only if one reference expands to several members. */
  readonly values: readonly (readonly Piece[])[];
  readonly origins: readonly Origin[];
}

/** The shape of a leaf, member or entry with a referenced value, and the shape of its parent. */
export interface EvaluatedPlace {
  readonly shape: Shape;
  readonly above: Shape;
}

/** Returns the places of the nodes in `wanted`. */
export function placesOf(root: DesiredNode, shape: Shape, wanted: ReadonlyMap<DesiredNode, unknown>): Map<DesiredNode, EvaluatedPlace> {
  const places = new Map<DesiredNode, EvaluatedPlace>();
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

/** Returns errors in values from other targets. Each must have the leaf's type (docs/desired-state.md#references-and-secrets). */
export function checkEvaluated(
  { values, origins }: Evaluation,
  node: DesiredNode,
  { template, where }: PendingValue,
  place: EvaluatedPlace,
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

/** Maximum length of a name in any list. */
const LONGEST_NAME = 127;

/**
 * Returns a description of valid values if a value from another target is not valid. No person reads such a value before it is written, so
 * the check is stricter than for written values: a reserved word such as `any` is an error.
 */
function problemOf(text: string, node: DesiredNode, { shape, above }: EvaluatedPlace): string | undefined {
  const inList = node.tag === "member" || node.name !== undefined;
  if (text.trim() === "") return "a value: it is empty";
  if (indexOfNonXml(text) !== -1) return "text that can be written: it holds a control character";
  if (inList && /[\t\n\r]/.test(text)) return "one value: it holds a line break or a tab";
  if (shape.reserved.has(text) || above.reserved.has(text))
    return `a value: the platform treats "${text}" as a keyword; write it in the document if it is intended`;
  const type = shape.type ?? (inList ? above.type : undefined);
  if (type !== undefined) return checkText(type, text);
  const refers = shape.references.length > 0 || (inList && above.references.length > 0);
  return refers && !isName(text) ? `the name of an object, of at most ${LONGEST_NAME} characters and without spaces around it` : undefined;
}

function isName(text: string): boolean {
  return text === text.trim() && [...text].length <= LONGEST_NAME && !/[\n\r\t]/.test(text);
}

/** Quotes the text on one line and truncates it. */
function shown(text: string): string {
  return JSON.stringify(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
}
