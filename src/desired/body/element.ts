import { PlumblineError } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { isXmlName } from "../../core/tree/xml/characters.js";
import { DesiredNode } from "../model.js";
import { nearest, suggest } from "../suggest.js";
import type { BuildContext, Inherited } from "./context.js";
import { Directives } from "./directives.js";
import { commonHandling, type ElementPlace, flowScalar, pathOf, wrongShape } from "./element-place.js";
import { addFragment } from "./fragment.js";
import { keyedList, sequenceList } from "./list.js";
import { LISTS_OF_MEMBERS, managedMembers, memberSequence } from "./members.js";
import { leaf } from "./value.js";

/** Builds the element for a key and its value in `config:`. Returns undefined after an error. */
function element(
  context: BuildContext,
  tag: string,
  key: number,
  value: number,
  shape: Shape,
  parent: Path,
  from: Inherited,
): DesiredNode | undefined {
  switch (context.doc.kind(value)) {
    case "scalar":
      return scalarElement(context, tag, key, value, shape, from);
    case "sequence":
      return sequenceElement(context, { tag, key, shape, parent, from }, value);
    case "map":
      return mapElement(context, { tag, key, shape, parent, from }, value);
  }
}

function scalarElement(
  context: BuildContext,
  tag: string,
  key: number,
  value: number,
  shape: Shape,
  from: Inherited,
): DesiredNode | undefined {
  if (shape.kind === "leaf" || shape.kind === "unknown") return leaf(context, tag, context.origin(key), value, shape, from);
  const text = context.doc.text(value);
  if (shape.kind === "members")
    return context.error(
      new PlumblineError("members-need-a-sequence", `"${tag}" is a list of members.`, {
        where: context.where(value),
        next: `Write [${flowScalar(text)}].`,
      }),
    );
  const form = shape.kind === "list" ? listForm(shape) : "a map of its children, or {} for an empty element";
  return wrongShape(context, tag, value, shape, `Write ${form}.`);
}

function sequenceElement(context: BuildContext, place: ElementPlace, value: number): DesiredNode | undefined {
  const { tag, shape } = place;
  const { doc } = context;
  const first = doc.first(value);
  const ofMaps = !doc.ends(first) && doc.kind(first) === "map";
  if (shape.kind === "list" || (shape.kind === "unknown" && ofMaps)) return sequenceList(context, place, value, undefined, false);
  if (shape.kind === "members" || shape.kind === "unknown") return memberSequence(context, place, value);
  const next =
    shape.kind === "leaf"
      ? `Write one value${ofMaps || doc.ends(first) ? "" : `: ${flowScalar(doc.text(first))}`}.`
      : "Write a map of its children.";
  return wrongShape(context, tag, value, shape, next);
}

function mapElement(context: BuildContext, at: ElementPlace, value: number): DesiredNode | undefined {
  const { tag, shape } = at;
  const { doc } = context;
  const directives = Directives.read(context, value);
  const place = directives.flag("$override") ? { ...at, from: { ...at.from, override: true } } : at;
  if (!directives.none) {
    if (directives.has("$entries")) return keyedList(context, place, value, directives);
    if (LISTS_OF_MEMBERS.some((name) => directives.has(name))) return managedMembers(context, place, value, directives);
    if (directives.has("$xml")) return container(context, place, value, directives);
  }
  switch (shape.kind) {
    case "list":
      return keyedList(context, place, value, directives);
    case "members":
      if (doc.isEmpty(value) && !shape.matchList && !shape.emptyIsAbsent) return container(context, place, value, directives);
      if (doc.isEmpty(value)) return memberSequence(context, place, value);
      return wrongShape(context, tag, value, shape, "Write a sequence: [a, b], or { $include: [a] } to manage only some of them.");
    case "leaf":
      if (doc.isEmpty(value)) return container(context, place, value, directives);
      return wrongShape(context, tag, value, shape, "Write one value, not a map.");
    default:
      return container(context, place, value, directives);
  }
}

/** Returns whether a document may declare this name here; otherwise reports why not. */
function isAllowed(context: BuildContext, key: number, tag: string, shape: Shape, childShape: Shape): boolean {
  const isNarrow = context.draft.kind.strict === true || childShape.readOnly === true;
  if (isNarrow && !mayBeDeclared(context, key, tag, shape, childShape)) return false;
  if (childShape.kind !== "unknown") return true;
  return isElementName(context, key, tag) && (context.allowsUnknown || mayBeUnknown(context, key, tag, shape));
}

/** Records which element of a choice is used; a second one is an error. */
function choose(context: BuildContext, key: number, tag: string, choice: string, choices: Map<string, string>): void {
  const other = choices.get(choice);
  if (other === undefined) choices.set(choice, tag);
  else context.error(choiceConflict(other, tag, context.where(key)));
}

/** Reports read-only fields and, for kinds with complete schemas, unknown names. */
function mayBeDeclared(context: BuildContext, key: number, tag: string, shape: Shape, childShape: Shape): boolean {
  if (childShape.kind === "unknown") {
    const known = shape.knownTags.filter((each) => shape.child(each).readOnly !== true && shape.child(each).mark !== true);
    const near = nearest(tag, known);
    context.error(
      new PlumblineError("unknown-field", `"${tag}" is not known here.`, {
        where: context.where(key),
        next: near === undefined ? `Write one of ${known.join(", ")}.` : `Did you mean "${near}"?`,
      }),
    );
    return false;
  }
  if (childShape.readOnly !== true && childShape.mark !== true) return true;
  context.error(
    new PlumblineError("read-only-field", `"${tag}" is written only by the platform.`, {
      where: context.where(key),
      next: "Delete the line; a reference, ${TARGET:PATH}, can lead to it.",
    }),
  );
  return false;
}

function container(context: BuildContext, place: ElementPlace, value: number, directives: Directives): DesiredNode {
  directives.allowOnly(place.shape.kind === "leaf" ? "leaf" : "container");
  const partial = directives.flag("$partial");
  const complete = place.from.isComplete && !partial;
  const from = complete === place.from.isComplete ? place.from : { ...place.from, whole: complete };
  const kids = children(context, value, place.shape, pathOf(place), from, undefined);
  const handling = commonHandling(directives, place.from);
  const node = new DesiredNode(place.tag, undefined, "", kids, {
    origin: context.origin(place.key),
    prunes: complete,
    declared: true,
    handling,
  });
  addFragment(context, node, directives, place.shape, from);
  if (partial) context.draft.partial.add(node);
  return node;
}

/**
 * Builds the child elements for the keys of a map, without directives. `nameKey` is the meaning of a key `name`: in a sequence item it was
 * the entry's key, in a keyed entry it needs `$entries`.
 */
export function children(
  context: BuildContext,
  map: number,
  shape: Shape,
  path: Path,
  from: Inherited,
  nameKey: "key" | "ambiguous" | undefined,
): DesiredNode[] {
  const { doc } = context;
  const nodes: DesiredNode[] = [];
  let choices: Map<string, string> | undefined;
  for (let key = doc.first(map); !doc.ends(key); ) {
    const value = doc.after(key);
    const next = doc.after(value);
    if (!doc.beginsWithDollar(key)) {
      const tag = doc.text(key);
      if (tag === "name" && nameKey !== undefined) {
        if (nameKey === "ambiguous") nameIsAmbiguous(context, key, path);
      } else if (doc.isLeftOut(value)) context.leftOut(key, tag);
      else {
        const childShape = shape.child(tag);
        if (isAllowed(context, key, tag, shape, childShape)) {
          const node = element(context, tag, key, value, childShape, path, from);
          if (node !== undefined) nodes.push(node);
        }
        if (childShape.choice !== undefined) {
          choices ??= new Map();
          choose(context, key, tag, childShape.choice, choices);
        }
      }
    }
    key = next;
  }
  // A copy has no spare capacity; there are hundreds of thousands of these arrays.
  return nodes.slice();
}

export function choiceConflict(one: string, other: string, where: PlumblineError["where"]): PlumblineError {
  return new PlumblineError("choice-conflict", `"${one}" and "${other}" exclude each other.`, {
    where,
    next: "Keep one of them; a device would silently keep either.",
  });
}

function listForm(shape: Shape): string {
  return shape.ordered
    ? "a sequence of maps, each with its name: - name: x"
    : "a map of entries by name, or a sequence ([x]) of entries that have only a name";
}

function isElementName(context: BuildContext, key: number, tag: string): boolean {
  if (tag === "entry" || tag === "member") {
    context.error(
      new PlumblineError("element-name", `"${tag}" elements are not written as such.`, {
        where: context.where(key),
        next: tag === "entry" ? "Write entries by name, or use $entries." : "Write members as a sequence, or use $members.",
      }),
    );
    return false;
  }
  if (isXmlName(tag) && !tag.includes(":")) return true;
  context.error(
    new PlumblineError("element-name", `"${tag}" cannot be the name of an element.`, {
      where: context.where(key),
      next: "Entries with such names go in a list: write a sequence of maps with name:, or use $entries.",
    }),
  );
  return false;
}

function nameIsAmbiguous(context: BuildContext, key: number, path: Path): void {
  context.error(
    new PlumblineError("name-is-the-key", "An entry written by name cannot also hold name:.", {
      where: context.where(key),
      next: `Delete it; if the entry has a child element called name, write $entries: { ${flowScalar(path.name ?? "x")}: { name: … } }.`,
    }),
  );
}

/** Returns whether an unknown name may be used here; otherwise reports an error. */
function mayBeUnknown(context: BuildContext, key: number, tag: string, parent: Shape): boolean {
  if (parent.complete === undefined) {
    warnIfMisspelt(context, key, tag, parent);
    return true;
  }
  const isError = parent.complete === "yes";
  const what = `"${tag}" is not known here${isError ? "." : ", and a later version will call that an error."}`;
  const next = `${suggest(tag, parent.knownTags)} If the platform supports it, write unknown: allow in the document.`;
  const found = new PlumblineError("unknown-field", what, { where: context.where(key), next });
  if (isError) context.problems.error(found);
  else context.problems.warn(found);
  return !isError;
}

/** Warns about a probable typo, because unknown elements are allowed. Warns once per place. */
function warnIfMisspelt(context: BuildContext, key: number, tag: string, parent: Shape): void {
  if (parent.knownTags.length === 0) return;
  let warned = context.draft.warned.get(parent);
  if (warned === undefined) {
    warned = new Set();
    context.draft.warned.set(parent, warned);
  }
  if (warned.has(tag)) return;
  warned.add(tag);
  const near = nearest(tag, parent.knownTags);
  if (near === undefined) return;
  context.problems.warn(
    new PlumblineError("unknown-element", `"${tag}" is not a known element here.`, {
      where: context.where(key),
      next: `Did you mean "${near}"?`,
    }),
  );
}
