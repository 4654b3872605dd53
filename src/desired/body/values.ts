import { PlumblineError } from "../../core/errors.js";
import type { GivenValue } from "../fleet.js";
import { suggest } from "../suggest.js";
import {
  isSecretReference,
  parseTemplate,
  type Template,
  type TemplateReference,
  type ValueReference,
  type WrittenTemplate,
} from "../template.js";
import type { BuildContext } from "./context.js";

/** Replaces each `${value:NAME}` in `template` by the target's value. Reports a missing value and returns undefined. */
export function putValues(context: BuildContext, template: WrittenTemplate, node: number): Template | undefined {
  if (!template.some(isValue)) return template as Template;
  const parts: (string | TemplateReference)[] = [];
  for (const part of template) {
    const known = isValue(part) ? valueParts(context, part, node) : [part];
    if (known === undefined) return undefined;
    for (const each of known) {
      const last = parts.at(-1);
      if (typeof each === "string" && typeof last === "string") parts[parts.length - 1] = last + each;
      else parts.push(each);
    }
  }
  return parts;
}

/** Returns the list value if a member consists only of one `${value:NAME}` with a list; otherwise undefined. */
export function valueList({ draft }: BuildContext, text: string): readonly string[] | undefined {
  if (!text.startsWith("${value:")) return undefined;
  const template = parseTemplate(text);
  const [only] = "unclosedAt" in template ? [] : template;
  if (only === undefined || !isValue(only) || only.text !== text) return undefined;
  const given = draft.values.get(only.name);
  return given?.isList === true ? given.texts : undefined;
}

/** Returns the values in a text and their sources, for `explain`. Undefined without values. */
export function valuesIn({ draft }: BuildContext, text: string): string | undefined {
  if (!text.includes("${value:")) return undefined;
  const template = parseTemplate(text);
  if ("unclosedAt" in template) return undefined;
  const parts = template.filter(isValue).map((part) => `${part.text}${givenBy(draft.values.get(part.name))}`);
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Returns whether a text comes from values of the target only. Such a text is final as soon as the documents are read. */
export function isOfValues(madeBy: string): boolean {
  return /^\$\{value:[^}]+\}.* \([^()]*:[0-9]+\)$/s.test(madeBy);
}

function givenBy(given: GivenValue | undefined): string {
  if (given === undefined) return "";
  return `${given.from === undefined ? " by default" : ` of ${given.from}`} (${given.where.file}:${given.where.line})`;
}

function isValue(part: WrittenTemplate[number]): part is ValueReference {
  return typeof part !== "string" && part.kind === "value";
}

function valueParts(context: BuildContext, { name, text }: ValueReference, node: number): Template | undefined {
  const { target, values, valueNames } = context.draft;
  const where = { ...context.where(node), target };
  const given = values.get(name);
  if (given === undefined) {
    const isDeclared = valueNames.includes(name);
    const message = isDeclared ? `${target} has no value for ${text}.` : `plumbline.yaml declares no value "${name}".`;
    const next = isDeclared
      ? `Give ${target} or one of its groups ${name} under values:, or give ${name} a default.`
      : `${valueNames.length === 0 ? "" : suggest(name, valueNames)} Declare it in values: at the top of plumbline.yaml.`.trim();
    return context.error(new PlumblineError(isDeclared ? "value-missing" : "value-unknown", message, { where, next }));
  }
  if (given.isList)
    return context.error(
      new PlumblineError("value-type", `${text} is a list, but one text is expected here.`, {
        where,
        next: `A list may be a member of a list of members, all by itself: ["${text}"].`,
      }),
    );
  const template = parseTemplate(given.texts[0] ?? "");
  if (!("unclosedAt" in template) && template.every(isPlain)) return template;
  return context.error(
    new PlumblineError("unknown-reference", `The value of ${name} cannot be read.`, {
      where: { ...given.where, target },
      next: "A value is a text, or refers to a secret: ${env:NAME}, ${file:PATH}; $${ is a literal ${.",
    }),
  );
}

function isPlain(part: WrittenTemplate[number]): part is Template[number] {
  return typeof part === "string" || isSecretReference(part);
}
