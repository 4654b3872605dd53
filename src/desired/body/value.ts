import { PlumblineError } from "../../core/errors.js";
import type { Shape } from "../../core/tree/shape.js";
import { DesiredNode, type Handling } from "../model.js";
import { mayRefer, parseTemplate, type Template, type WrittenTemplate } from "../template.js";
import type { BuildContext, Inherited, LocalScope } from "./context.js";
import { putValues, valuesIn } from "./values.js";

/** Shared by all leaves. */
export const NO_CHILDREN: readonly DesiredNode[] = [];

const OVERRIDE: Handling = { override: true };
const KEEP: Handling = { keep: true };

/** Reused for each node: a policy has a million leaves, and the constructor copies the fields. */
const facts: { origin: number; prunes: boolean; declared: boolean; handling: Handling | undefined } = {
  origin: -1,
  prunes: false,
  declared: true,
  handling: undefined,
};

function textNode(tag: string, text: string, origin: number, prunes: boolean, handling: Handling | undefined): DesiredNode {
  facts.origin = origin;
  facts.prunes = prunes;
  facts.handling = handling;
  return new DesiredNode(tag, undefined, text, NO_CHILDREN, facts);
}

/** Builds a leaf from a scalar. References stay in the text until `resolved-value.ts` replaces them. */
export function leaf(
  context: BuildContext,
  tag: string,
  origin: number,
  value: number,
  shape: Shape,
  from: Inherited,
): DesiredNode | undefined {
  const text = context.doc.text(value);
  const isCompared = shape.createOnly !== true;
  if (isCompared && text.endsWith("\n") && !context.doc.keepsLineBreaks(value)) warnTrailingNewline(context, tag, origin);
  const overrides = from.override ? OVERRIDE : undefined;
  if (!mayRefer(text)) {
    if (shape.secret && text !== "") return plaintextSecret(context, tag, value);
    return textNode(tag, text, origin, from.isComplete, overrides);
  }
  const template = readTemplate(context, text, value, from.scope);
  if (template === undefined) return undefined;
  const handling = withValues(context, text, overrides);
  if (template.some((part) => typeof part !== "string" && part.kind === "keep")) {
    if (template.length === 1) return textNode(tag, text, origin, from.isComplete, { ...handling, ...KEEP });
    return context.error(
      new PlumblineError("keep-misplaced", "${keep} must be the complete value.", {
        where: context.where(value),
        next: 'Write "${keep}" alone, or write the value.',
      }),
    );
  }
  const literal = literalOf(template);
  if (literal !== undefined) {
    if (shape.secret) return plaintextSecret(context, tag, value);
    return textNode(tag, literal, origin, from.isComplete, handling);
  }
  if (shape.secret && !template.some((part) => typeof part !== "string" && part.kind !== "local"))
    return plaintextSecret(context, tag, value);
  const node = textNode(tag, text, origin, from.isComplete, handling);
  context.draft.pending.set(node, { template, scope: from.scope, where: context.where(value) });
  return node;
}

function withValues(context: BuildContext, text: string, handling: Handling | undefined): Handling | undefined {
  const madeBy = valuesIn(context, text);
  return madeBy === undefined ? handling : { ...handling, madeBy };
}

/** Builds one `member` (or another tag) of a list of values. `text`: set if a value of the target supplies it. */
export function member(
  context: BuildContext,
  value: number,
  from: Inherited,
  tag = "member",
  text = context.doc.text(value),
): DesiredNode | undefined {
  if (context.doc.isLeftOut(value)) return context.leftOut(value, "-");
  if (!validName(context, text, value, "member")) return undefined;
  const origin = context.origin(value);
  const overrides = from.override ? OVERRIDE : undefined;
  if (!mayRefer(text)) return textNode(tag, text, origin, true, overrides);
  const template = readTemplate(context, text, value, from.scope);
  if (template === undefined) return undefined;
  if (template.some((part) => typeof part !== "string" && part.kind === "keep"))
    return context.error(
      new PlumblineError("keep-misplaced", "${keep} keeps the value of a leaf. A member has no value to keep.", {
        where: context.where(value),
        next: "Write the member, or leave it out and use $include for the others.",
      }),
    );
  const literal = literalOf(template);
  const handling = withValues(context, text, overrides);
  const node = textNode(tag, literal ?? text, origin, true, handling);
  if (literal === undefined) context.draft.pending.set(node, { template, scope: from.scope, where: context.where(value) });
  return node;
}

/** Returns the text of a name or a `$exclude` item. References are not allowed; `$${` is a literal `${`. */
export function literalText(context: BuildContext, node: number, what: string): string | undefined {
  const text = context.doc.text(node);
  if (!validName(context, text, node, what)) return undefined;
  if (!mayRefer(text)) return text;
  const template = readTemplate(context, text, node, undefined);
  if (template === undefined) return undefined;
  const literal = literalOf(template);
  if (literal !== undefined) return literal;
  return context.error(
    new PlumblineError("unknown-reference", `A ${what} cannot hold a reference.`, {
      where: context.where(node),
      next: "Use $forEach to create entries from another target, or write $${ for a literal ${.",
    }),
  );
}

/** Parses and checks `${…}`. Reports an invalid reference and returns undefined. */
export function readTemplate(context: BuildContext, text: string, node: number, scope: LocalScope | undefined): Template | undefined {
  const template = parseTemplate(text);
  if ("unclosedAt" in template)
    return context.error(
      new PlumblineError("unknown-reference", "A ${ is never closed.", {
        where: context.where(node),
        next: "Close it with }, or write $${ for a literal ${.",
      }),
    );
  for (const part of template) {
    if (typeof part === "string") continue;
    const problem = referenceProblem(part, scope);
    if (problem === undefined) continue;
    return context.error(
      new PlumblineError("unknown-reference", `${part.text} ${problem}.`, {
        where: context.where(node),
        next: "Write ${env:NAME}, ${file:PATH}, ${exec:COMMAND}, ${keep}, ${value:NAME} or ${TARGET:PATH}; $${ is a literal ${.",
      }),
    );
  }
  return putValues(context, template, node);
}

function referenceProblem(part: Exclude<WrittenTemplate[number], string>, scope: LocalScope | undefined): string | undefined {
  switch (part.kind) {
    case "keep":
      return undefined;
    case "local":
      if (part.path === "") return "is empty";
      return scope === undefined ? "is no reference outside $forEach and $count" : undefined;
    case "target":
      return part.path === "" ? "names no path" : undefined;
    case "value":
      return part.name === "" ? "names no value" : undefined;
    case "env":
      return /^[A-Za-z_][A-Za-z0-9_]*$/.test(part.argument) ? undefined : "names no environment variable";
    default:
      return part.argument === "" ? "is empty" : undefined;
  }
}

/** Returns the text of a template without references, or undefined. */
export function literalOf(template: Template): string | undefined {
  const only = template[0];
  return template.length === 1 && typeof only === "string" ? only : undefined;
}

function validName(context: BuildContext, text: string, node: number, what: string): boolean {
  if (text === "") {
    context.error(
      new PlumblineError("empty-value", `A ${what} cannot be empty text.`, { where: context.where(node), next: `Write the ${what}.` }),
    );
    return false;
  }
  if (!/[\t\n\r]/.test(text)) return true;
  context.error(
    new PlumblineError("control-character", `A ${what} cannot hold a line break or a tab.`, {
      where: context.where(node),
      next: "Use single quotes for text with backslashes ('corp\\nancy'), and |- if a block must not end in a line break.",
    }),
  );
  return false;
}

function plaintextSecret(context: BuildContext, tag: string, value: number): undefined {
  return context.error(
    new PlumblineError("plaintext-secret", `"${tag}" is a secret and is plain text here.`, {
      where: context.where(value),
      next: "Write a reference (${env:NAME}, ${file:PATH}, ${exec:COMMAND}), or ${keep} to keep the stored one. Then change the secret, because git remembers it.",
    }),
  );
}

function warnTrailingNewline(context: BuildContext, tag: string, origin: number): void {
  context.problems.warn(
    new PlumblineError("trailing-newline", `The text of "${tag}" ends in a line break, which is compared and written too.`, {
      where: context.file.where(origin - context.base),
      next: "Write |- instead of |, or |+ if the line break is intended.",
    }),
  );
}
