import type { Shape } from "../core/tree/shape.js";
import { describeNumbers } from "./field-faults.js";
import type { FieldPlace } from "./field-table.js";
import type { KnownField } from "./kind.js";
import { checkText } from "./leaf-types.js";

type Schema = Record<string, unknown>;

/**
 * Schema of a text for editors. Sequences and empty values are errors. Does not use `type`, because editors would then offer `true` and
 * `false`.
 */
const anyText: Schema = ifThen({ type: ["array", "null"] }, { type: "string" });

/** Returns `if` and `then` of JSON Schema. */
export function ifThen(condition: Schema, consequence: Schema): Schema {
  // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema, and nobody waits for one.
  return { if: condition, then: consequence };
}

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])";
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;

/**
 * Rough patterns of types. They accept every text that `checkText` accepts, and find typos such as an extra digit. A colon may be part of
 * an IPv6 address, a dollar of a reference.
 */
const PATTERNS: Readonly<Record<string, string>> = {
  address: `^${IPV4}$|[:$]`,
  cidr: `^${IPV4}/[0-9]+$|[:$]`,
  network: `^${IPV4}/[0-9]+$|[:$]`,
  "address-or-network": `^${IPV4}(?:/[0-9]+)?$|[:$]`,
  "address-range": `^${IPV4}-${IPV4}$|[:$]`,
  ports: "^[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*$|[$]",
};

/** YAML reads numbers and booleans as such, so both forms are allowed. */
const bothWays = (word: string): (string | number | boolean)[] =>
  /^(?:0|[1-9][0-9]{0,8})$/.test(word) ? [word, Number(word)] : word === "true" || word === "false" ? [word, word === "true"] : [word];

/**
 * Returns the schema of a leaf for editors: valid words, form, references, default. References (`${…}`, a template's `$name`) and
 * directives are always allowed. `plumbline lsp` makes the checks that need the complete desired state, and reports errors of later
 * versions.
 *
 * @param place Known rules of the platform for this leaf.
 */
export function leafSchema(shape: Shape, place: FieldPlace | undefined): Schema {
  const known = fieldOf(shape, place?.field);
  const { form } = known;
  const words = known.words ?? (form?.includes("|") === true ? form.split("|") : form === "boolean" ? ["true", "false"] : undefined);
  const description = describeLeaf(shape, words === undefined ? known : {});
  const annotation = description === "" ? {} : { description };
  const isSoon = place?.soon === true;
  if (words !== undefined) {
    const others = isSoon ? [anyText] : [{ type: "string", pattern: "^[$]", ...annotation }, { type: "object" }];
    return { anyOf: [{ enum: words.flatMap(bothWays), ...annotation }, ...others] };
  }
  const rest = isSoon ? {} : constraints(known);
  return { ...anyText, ...annotation, ...rest };
}

/** Returns the constraints that a schema can express, if the field has no list of words. */
function constraints({ form, number, from, to }: KnownField): Schema {
  const pattern = form === undefined || !Object.hasOwn(PATTERNS, form) ? undefined : PATTERNS[form];
  return {
    ...(number === undefined || from === undefined ? {} : { minimum: from }),
    ...(number === undefined || to === undefined ? {} : { maximum: to }),
    ...(pattern === undefined ? {} : { pattern, patternErrorMessage: `Must be ${expected(form)}.` }),
  };
}

/** Combines the facts from the platform and from the shape. */
export function fieldOf({ type }: Shape, field: KnownField | undefined): KnownField {
  return { ...(type === undefined ? {} : { form: type }), ...field };
}

/** Describes a leaf or members, without words that are listed anyway. */
export function describeLeaf(shape: Shape, field: KnownField): string {
  const must = expected(field.form) ?? (field.number === undefined ? undefined : describeNumbers(field));
  return [
    ...(must === undefined ? [] : [`Must be ${must}.`]),
    ...(field.longest === undefined ? [] : [`At most ${field.longest} characters.`]),
    ...(shape.references.length === 0 ? [] : [`Refers to: ${shape.references.join(", ")}.`]),
    ...(shape.reserved.size === 0 ? [] : [`Reserved values: ${[...shape.reserved].join(", ")}.`]),
    ...(shape.default === undefined ? [] : [`Default: ${shape.default}.`]),
    ...(shape.secret ? ["Stored encrypted or hashed: write a reference."] : []),
  ].join(" ");
}

/** A control character matches no form, so `checkText` returns the description. */
const expected = (form: string | undefined): string | undefined => (form === undefined ? undefined : checkText(form, "\u0000"));
