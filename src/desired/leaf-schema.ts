import type { Shape } from "../core/tree/shape.js";
import { numberWords } from "./field-faults.js";
import type { FieldPlace } from "./field-table.js";
import type { KnownField } from "./kind.js";
import { checkText } from "./leaf-types.js";

type Schema = Record<string, unknown>;

/** Text as editors see it: sequences and an empty value are none. Said without `type`, for which editors offer `true` and `false`. */
export const anyText: Schema = ifThen({ type: ["array", "null"] }, { type: "string" });

/** JSON Schema's `if` and `then`. */
export function ifThen(condition: Schema, consequence: Schema): Schema {
  // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema, and nobody waits for one.
  return { if: condition, then: consequence };
}

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])";
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;

/**
 * What a text of a type looks like from afar: nothing is left out that `checkText` takes, and a digit too many is seen. A colon may be
 * an IPv6 address, a dollar a reference.
 */
const PATTERNS: Readonly<Record<string, string>> = {
  address: `^${IPV4}$|[:$]`,
  cidr: `^${IPV4}/[0-9]+$|[:$]`,
  network: `^${IPV4}/[0-9]+$|[:$]`,
  "address-or-network": `^${IPV4}(?:/[0-9]+)?$|[:$]`,
  "address-range": `^${IPV4}-${IPV4}$|[:$]`,
  ports: "^[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*$|[$]",
};

/** Numbers are read as numbers: a leaf that has only such texts may be both. */
const bothWays = (word: string): (string | number | boolean)[] =>
  /^(?:0|[1-9][0-9]{0,8})$/.test(word) ? [word, Number(word)] : word === "true" || word === "false" ? [word, word === "true"] : [word];

/**
 * The schema of a leaf for editors: words to choose from, what it takes, what it names, its default. References (`${…}`, a template's `$name`) and
 * directives are let through everywhere; what only the whole desired state tells is left to `plumbline lsp`, and so is what only a later
 * version calls an error.
 * @param place what the platform takes there, where that is known
 */
export function leafSchema(shape: Shape, place: FieldPlace | undefined): Schema {
  const known = fieldOf(shape, place?.field);
  const { form } = known;
  const words = known.words ?? (form?.includes("|") === true ? form.split("|") : form === "boolean" ? ["true", "false"] : undefined);
  const description = leafWords(shape, words === undefined ? known : {});
  const told = description === "" ? {} : { description };
  const isSoon = place?.soon === true;
  if (words !== undefined) {
    const others = isSoon ? [anyText] : [{ type: "string", pattern: "^[$]", ...told }, { type: "object" }];
    return { anyOf: [{ enum: words.flatMap(bothWays), ...told }, ...others] };
  }
  const rest = isSoon ? {} : constraints(known);
  if (description === "" && Object.keys(rest).length === 0) return { $ref: "#/definitions/leaf" };
  return { ...anyText, ...told, ...rest };
}

/** What a schema can say of a text that is no word of a list. */
function constraints({ form, number, from, to }: KnownField): Schema {
  const pattern = form === undefined || !Object.hasOwn(PATTERNS, form) ? undefined : PATTERNS[form];
  return {
    ...(number === undefined || from === undefined ? {} : { minimum: from }),
    ...(number === undefined || to === undefined ? {} : { maximum: to }),
    ...(pattern === undefined ? {} : { pattern, patternErrorMessage: `Must be ${expected(form)}.` }),
  };
}

/** What is known of a place from its platform and from its shape. */
export function fieldOf({ type }: Shape, field: KnownField | undefined): KnownField {
  return { ...(type === undefined ? {} : { form: type }), ...field };
}

/** What is to be said of a leaf or of members, in sentences; of words that are listed anyway nothing. */
export function leafWords(shape: Shape, field: KnownField): string {
  const must = expected(field.form) ?? (field.number === undefined ? undefined : numberWords(field));
  return [
    ...(must === undefined ? [] : [`Must be ${must}.`]),
    ...(field.longest === undefined ? [] : [`At most ${field.longest} characters.`]),
    ...(shape.references.length === 0 ? [] : [`Names: ${shape.references.join(", ")}.`]),
    ...(shape.reserved.size === 0 ? [] : [`Or: ${[...shape.reserved].join(", ")}.`]),
    ...(shape.default === undefined ? [] : [`Default: ${shape.default}.`]),
    ...(shape.secret ? ["Stored encrypted or hashed: write a reference."] : []),
  ].join(" ");
}

/** No text has the form of a control character. */
const expected = (form: string | undefined): string | undefined => (form === undefined ? undefined : checkText(form, "\u0000"));
