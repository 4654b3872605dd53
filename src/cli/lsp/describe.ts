import { printable } from "../../core/printable.js";
import { describeNumbers } from "../../desired/field-faults.js";
import type { KnownField } from "../../desired/kind.js";
import { checkText } from "../../desired/leaf-types.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import type { Location } from "../../desired/source-map.js";
import { listed } from "../../desired/suggest.js";
import type { Definition } from "../../plan/namespace.js";
import { definitionOf } from "./names.js";
import { knownField, type Place } from "./places.js";

/** Describes a declared node in Markdown: its path, the values of the field and the object that it refers to. */
export async function describe(loaded: LoadedDesired, places: readonly Place[]): Promise<string | undefined> {
  const [place] = places;
  if (place === undefined) return undefined;
  const { node, path, shape } = place;
  const field = await knownField(place);
  const named = await definitionOf(loaded, place);
  const at = named === undefined ? undefined : locationOf(loaded, place.target, named);
  const lines = [
    `\`${path}\``,
    `${places.map(({ target }) => target).join(", ")} (owner ${loaded.configuration.owner})`,
    ...fieldWords(field),
    ...(shape.references.length === 0 ? [] : [`Refers to: ${shape.references.join(", ")}.`]),
    ...(at === undefined ? [] : [`Declared at ${at.file}:${at.line}.`]),
    ...(shape.default === undefined ? [] : [`Default: ${shape.default}.`]),
    ...(shape.secret || node.handling?.secret !== undefined ? ["Stored encrypted or hashed: write a reference."] : []),
    ...(node.handling?.madeBy === undefined ? [] : [`Created by \`${node.handling.madeBy}\`.`]),
  ];
  return lines.map(printable).join("\n\n");
}

/** Returns the place of the declaration of the referenced object. */
export async function declarationOf(loaded: LoadedDesired, place: Place): Promise<Location | undefined> {
  const named = await definitionOf(loaded, place);
  return named === undefined ? undefined : locationOf(loaded, place.target, named);
}

function locationOf(loaded: LoadedDesired, target: string, { path }: Definition): Location | undefined {
  const desired = loaded.targets.get(target);
  let node = desired?.root;
  for (const { tag, name } of path.steps().slice(1)) node = node?.children.find((child) => child.tag === tag && child.name === name);
  return node === undefined ? undefined : desired?.sources.locate(node.origin);
}

function fieldWords(field: KnownField | undefined): string[] {
  if (field === undefined) return [];
  const { words, longest, number, form } = field;
  const expected = form === undefined ? undefined : checkText(form, "\u0000");
  return [
    ...(words === undefined ? [] : [`One of ${listed(words)}.`]),
    ...(expected === undefined ? [] : [`Must be ${expected}.`]),
    ...(number === undefined ? [] : [`Must be ${describeNumbers(field)}.`]),
    ...(longest === undefined ? [] : [`At most ${longest} characters.`]),
  ];
}
