import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import { parseXml } from "../../core/tree/xml/parse.js";
import { DesiredNode } from "../model.js";
import { mayRefer } from "../template.js";
import type { BuildContext, Inherited } from "./context.js";
import type { Directives } from "./directives.js";
import { literalOf, readTemplate } from "./value.js";

/** Adds the content of `$xml` to `node`, in addition to the children from its keys. */
export function addFragment(context: BuildContext, node: DesiredNode, directives: Directives, shape: Shape, from: Inherited): void {
  const pair = directives.pair("$xml");
  const xml = directives.text("$xml");
  if (pair === undefined || xml === undefined) return;
  let parsed: TreeNode;
  try {
    parsed = parseXml(`<xml>${xml}</xml>`);
  } catch (cause) {
    if (!(cause instanceof PlumblineError)) throw cause;
    context.error(
      new PlumblineError("xml-fragment", `$xml cannot be read: ${cause.message}`, {
        where: context.where(pair.value),
        next: "Write well-formed XML: the content of the element, without the element itself.",
      }),
    );
    return;
  }
  const origin = context.origin(pair.value);
  for (const at of [node.origin, origin]) context.draft.verbatim.push({ from: at, to: at });
  const writer = new FragmentWriter(context, origin, pair.value);
  if (parsed.children.length === 0) {
    if (node.children.length === 0) writer.copyText(node, parsed.text, shape, from);
    else if (parsed.text !== "")
      context.error(
        new PlumblineError("xml-fragment", "$xml holds text, and the element has children.", {
          where: context.where(pair.value),
          next: "Delete the keys next to $xml, or write elements in it.",
        }),
      );
    return;
  }
  const taken = new Set(node.children.map(key));
  for (const child of parsed.children)
    if (taken.has(key(child)))
      context.error(
        new PlumblineError("declared-twice", `"${child.name ?? child.tag}" is declared by a key and by $xml.`, {
          where: context.where(pair.value),
          next: "Delete one of them.",
        }),
      );
  node.children = [...node.children, ...parsed.children.map((child) => writer.copy(child, shape.child(child.tag), from))];
}

function key(node: TreeNode): string {
  return node.name === undefined ? `${node.tag} ${node.tag === "member" ? node.text : ""}` : `${node.tag}=${node.name}`;
}

class FragmentWriter {
  readonly #context: BuildContext;
  readonly #origin: number;
  readonly #at: number;

  constructor(context: BuildContext, origin: number, at: number) {
    this.#context = context;
    this.#origin = origin;
    this.#at = at;
  }

  copy(source: TreeNode, shape: Shape, from: Inherited): DesiredNode {
    const complete = source.tag === "entry" ? !shape.structural : from.isComplete;
    const below = complete === from.isComplete ? from : { ...from, whole: complete };
    const members = source.children.some((child) => child.tag === "member");
    const node = new DesiredNode(
      source.tag,
      source.name,
      "",
      source.children.map((child) => this.copy(child, shape.child(child.tag, child.name), below)),
      {
        origin: this.#origin,
        prunes: complete || members || source.tag === "member",
        declared: true,
        handling: from.override ? { override: true } : undefined,
      },
    );
    node.attributes = source.attributes;
    if (source.children.length === 0) this.copyText(node, source.text, shape, from);
    return node;
  }

  copyText(node: DesiredNode, text: string, shape: Shape, from: Inherited): void {
    node.text = text;
    const template = mayRefer(text) ? readTemplate(this.#context, text, this.#at, from.scope) : undefined;
    const literal = template === undefined ? (mayRefer(text) ? undefined : text) : literalOf(template);
    if (literal !== undefined) {
      node.text = literal;
      if (shape.secret && literal !== "")
        this.#context.error(
          new PlumblineError("plaintext-secret", `"${node.tag}" is a secret and is plain text in $xml.`, {
            where: this.#context.where(this.#at),
            next: "Write a reference (${env:NAME}, ${file:PATH}, ${exec:COMMAND}), or ${keep} to keep the stored one.",
          }),
        );
    } else if (template !== undefined) {
      const only = template[0];
      if (template.length === 1 && typeof only !== "string" && only?.kind === "keep") node.handling = { ...node.handling, keep: true };
      else this.#context.draft.pending.set(node, { template, scope: from.scope, where: this.#context.where(this.#at) });
    }
  }
}
