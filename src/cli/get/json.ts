import { printJson } from "../../core/json/print.js";
import type { DomElement, DomNode } from "../../core/tree/query/dom.js";
import { Locator } from "../../core/tree/query/locate.js";
import type { Shape } from "../../core/tree/shape.js";
import { Encoder } from "../../import/encode.js";
import type { Value } from "../../import/value.js";
import type { GetView } from "../choices.js";
import { type Answer, isNodes, withoutDocument } from "./answer.js";

type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json };

/** Returns the results with the XPath of each node. Elements have the format of the desired state, with secrets as `${keep}`. */
export function jsonText(answers: readonly Answer[], expression: string, view: GetView): string {
  const targets = answers.map((answer) => ({ target: answer.target, results: results(answer) }));
  return `${printJson({ format: 1, command: "get", expression, view, targets }, 2)}\n`;
}

function results(answer: Answer): readonly { readonly xpath?: string; readonly value: Json }[] {
  const { result } = answer;
  // JSON has no NaN and no infinity. They become text, because `null` would mean that the value is absent.
  if (!isNodes(result)) return [{ value: typeof result === "number" && !Number.isFinite(result) ? String(result) : result }];
  const values = new Values(answer);
  const locator = new Locator();
  return result.map(withoutDocument).map((node) => ({ xpath: locator.locate(node), value: values.of(node) }));
}

class Values {
  readonly #encoder = new Encoder();
  readonly #root: Shape;
  readonly #shapes = new Map<DomElement, Shape>();

  constructor({ kind }: Answer) {
    this.#root = kind.shape;
  }

  of(node: Exclude<DomNode, { readonly nodeType: 9 }>): Json {
    if (node.nodeType !== 1) return node.nodeValue;
    const value = this.#encoder.element(node.tree, this.#shapeOf(node), 1);
    return value === undefined ? {} : plain(value);
  }

  #shapeOf(element: DomElement): Shape {
    const { parentNode, nodeName } = element;
    if (parentNode.nodeType === 9) return this.#root;
    let shape = this.#shapes.get(element);
    if (shape === undefined) {
      shape = this.#shapeOf(parentNode).child(nodeName);
      this.#shapes.set(element, shape);
    }
    return shape;
  }
}

function plain(value: Value): Json {
  switch (value.kind) {
    case "text":
      return value.text;
    case "sequence":
      return value.items.map(plain);
    case "mapping":
      return Object.fromEntries(value.pairs.map(([key, child]) => [key, plain(child)]));
  }
}
