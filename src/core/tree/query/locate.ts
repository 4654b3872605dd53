import { quote } from "../path.js";
import type { DomChild, DomDocument, DomElement, DomNode } from "./dom.js";

/** Returns for each node an XPath that selects only that node. */
export class Locator {
  readonly #elements = new Map<DomElement, string>();
  readonly #steps = new Map<DomDocument | DomElement, readonly string[]>();

  locate(node: DomNode): string {
    switch (node.nodeType) {
      case 9:
        return "/";
      case 2:
        return `${this.#element(node.ownerElement)}/@${node.nodeName}`;
      case 3:
        return `${this.#element(node.parentNode)}/${this.#step(node)}`;
      case 1:
        return this.#element(node);
    }
  }

  #element(element: DomElement): string {
    let path = this.#elements.get(element);
    if (path === undefined) {
      const { parentNode } = element;
      path = `${parentNode.nodeType === 9 ? "" : this.#element(parentNode)}/${this.#step(element)}`;
      this.#elements.set(element, path);
    }
    return path;
  }

  #step(node: DomChild): string {
    const { parentNode, rank } = node;
    let steps = this.#steps.get(parentNode);
    if (steps === undefined) {
      steps = stepsOf(parentNode.children);
      this.#steps.set(parentNode, steps);
    }
    return steps[rank] ?? "";
  }
}

/** Returns the last step for each child: by name, a member by its text, or by position if siblings would share the step. */
function stepsOf(children: readonly DomChild[]): string[] {
  const times = new Map<string, number>();
  for (const step of children.flatMap(stepsTo)) times.set(step, (times.get(step) ?? 0) + 1);
  const places = new Map<string, number>();
  return children.map((child) => {
    const tag = tagOf(child);
    const place = (places.get(tag) ?? 0) + 1;
    places.set(tag, place);
    const [shortest = tag] = stepsTo(child);
    return times.get(shortest) === 1 ? shortest : `${tag}[${place}]`;
  });
}

/** Returns all steps of the supported forms that lead to a child, the preferred form first. */
function stepsTo(node: DomChild): string[] {
  const tag = tagOf(node);
  if (node.nodeType === 3) return [tag];
  const { name } = node.tree;
  const named = name === undefined ? [] : [`${tag}[@name=${quote(name)}]`];
  const texts = tag === "member" ? node.children.filter(({ nodeType }) => nodeType === 3) : [];
  return [...named, ...new Set(texts.map(({ nodeValue }) => `${tag}[text()=${quote(nodeValue ?? "")}]`)), tag];
}

function tagOf(node: DomChild): string {
  return node.nodeType === 3 ? "text()" : node.nodeName;
}
