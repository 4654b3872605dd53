import { PlumblineError } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { DesiredNode, type Handling } from "../model.js";
import { checkRenames } from "../renames.js";
import { mayRefer, parseTemplate } from "../template.js";
import type { BuildContext, Inherited, LocalScope } from "./context.js";
import { Directives } from "./directives.js";
import { commonHandling, type ElementPlace, flowScalar, pathOf, wrongShape } from "./element-place.js";
import { counted, type Repetition, repeated } from "./for-each.js";
import { addFragment } from "./fragment.js";
import { memberSequence } from "./members.js";
import { literalText, NO_CHILDREN, readTemplate } from "./value.js";

type DeclaredPosition = ReturnType<Directives["position"]>;

/** Builds a list from a map of entries by name, or from `$entries` and `$position`. */
export function keyedList(context: BuildContext, place: ElementPlace, value: number, directives: Directives): DesiredNode | undefined {
  const { doc } = context;
  directives.allowOnly("list");
  const position = directives.position();
  const literal = directives.pair("$entries");
  if (place.shape.key !== undefined && !doc.isEmpty(value))
    return context.error(
      new PlumblineError("wrong-shape", `Entries of "${place.tag}" have no names.`, {
        where: context.where(value),
        next: `Write a sequence of maps: - ${place.shape.key[0] ?? "key"}: …`,
      }),
    );
  if (literal === undefined) {
    if (place.shape.ordered && hasPlainKeys(context, value)) return orderedAsMap(context, place, value);
    if (doc.isEmpty(value)) oblige(context, place, value, "empty-map");
    return listNode(context, place, position, entriesOfMap(context, place, value, "ambiguous"));
  }
  if (hasPlainKeys(context, value))
    return context.error(
      new PlumblineError("directive-misplaced", "$entries contains all entries. No other names are allowed next to it.", {
        where: context.where(literal.key),
        next: "Move the other entries under $entries.",
      }),
    );
  if (doc.isLeftOut(literal.value)) return context.leftOut(literal.key, "$entries");
  if (doc.kind(literal.value) === "sequence") return sequenceList(context, place, literal.value, position, true);
  if (doc.kind(literal.value) === "scalar") return directives.badValue("$entries", "a map or a sequence of entries");
  if (place.shape.ordered && !doc.isEmpty(literal.value)) return orderedAsMap(context, place, literal.value);
  if (doc.isEmpty(literal.value)) oblige(context, place, literal.value);
  return listNode(context, place, position, entriesOfMap(context, place, literal.value, undefined, true));
}

/**
 * Builds a list from a sequence: maps with `name`, or only names. `literal`: under `$entries`, where `- x: {…}` is an entry too, and its
 * children may be called `name`.
 */
export function sequenceList(
  context: BuildContext,
  place: ElementPlace,
  sequence: number,
  position: DeclaredPosition,
  literal: boolean,
): DesiredNode {
  const { doc } = context;
  if (doc.isEmpty(sequence)) oblige(context, place, sequence);
  const entries = new EntrySet(context, pathOf(place));
  for (let item = doc.first(sequence); !doc.ends(item); item = doc.after(item)) {
    if (doc.isLeftOut(item)) context.leftOut(item, "-");
    else if (doc.kind(item) === "map") mapItem(context, place, item, entries, literal);
    else if (doc.kind(item) === "scalar" && refersToTargets(doc.text(item))) referringName(context, place, item, entries);
    else if (doc.kind(item) === "scalar") {
      const name = literalText(context, item, "name");
      if (name !== undefined)
        entries.add(
          item,
          entryNode(context, place, entries.list, { name, key: item, body: undefined, nameKey: undefined, scope: undefined }),
        );
    } else wrongShape(context, place.tag, item, place.shape, "Write - name: x with the entry's children below it.");
  }
  return listNode(context, place, position, entries.nodes);
}

/** Builds an entry such as `- "${cloud:…/gateway_ip}/24"`, whose name depends on references. */
function referringName(context: BuildContext, place: ElementPlace, item: number, entries: EntrySet): void {
  const { doc } = context;
  const { scope } = place.from;
  const text = doc.text(item);
  const template = readTemplate(context, text, item, scope);
  if (template === undefined) return;
  const entry = entryNode(context, place, entries.list, { name: text, key: item, body: undefined, nameKey: undefined, scope: undefined });
  entries.add(item, entry);
  context.draft.pending.set(entry, { template, scope, where: context.where(item) });
}

/** Returns whether all references lead to a target or a selected node: a secret cannot be a name. */
function refersToTargets(text: string): boolean {
  const template = mayRefer(text) ? parseTemplate(text) : [];
  if ("unclosedAt" in template) return false;
  const references = template.filter((part) => typeof part !== "string");
  return references.length > 0 && references.every(({ kind }) => kind === "target" || kind === "local");
}

function mapItem(context: BuildContext, place: ElementPlace, item: number, entries: EntrySet, literal: boolean): void {
  const { doc } = context;
  const directives = Directives.read(context, item);
  if (directives.has("$forEach")) {
    for (const { name, scope } of repeated(context, entries.list, directives) ?? [])
      entries.add(item, entryNode(context, place, entries.list, { name, key: item, body: item, nameKey: "key", scope, directives }), true);
    return;
  }
  const nameValue = place.shape.key === undefined ? doc.get(item, "name") : undefined;
  if (nameValue !== undefined && doc.isLeftOut(nameValue)) return void context.leftOut(nameValue, "name");
  if (nameValue !== undefined && doc.kind(nameValue) === "scalar") {
    const name = literalText(context, nameValue, "name");
    if (name !== undefined)
      addCounted(context, place, entries, { name, key: item, body: item, nameKey: "key", scope: undefined, directives });
    return;
  }
  if (place.shape.key !== undefined) {
    // A temporary name: the final one depends on the content, which may contain unresolved references.
    const name = `#${context.origin(item)}`;
    entries.add(
      item,
      entryNode(context, place, entries.list, { name, key: item, body: item, nameKey: undefined, scope: undefined, directives }),
    );
    return;
  }
  const key = doc.first(item);
  const only = !doc.ends(key) && doc.ends(doc.after(doc.after(key)));
  if (literal && only && directives.none) {
    keyedEntry(context, place, key, doc.after(key), undefined, entries);
    return;
  }
  context.error(
    new PlumblineError("entry-without-name", `An entry of "${place.tag}" has no name.`, {
      where: context.where(item),
      next: "Write name: as its first key, or $forEach: to create entries from another target.",
    }),
  );
}

function entriesOfMap(
  context: BuildContext,
  place: ElementPlace,
  map: number,
  nameKey: "ambiguous" | undefined,
  verbatim = false,
): readonly DesiredNode[] {
  const { doc } = context;
  const entries = new EntrySet(context, pathOf(place), true);
  for (let key = doc.first(map); !doc.ends(key); ) {
    const value = doc.after(key);
    if (verbatim || !doc.beginsWithDollar(key)) keyedEntry(context, place, key, value, nameKey, entries);
    key = doc.after(value);
  }
  return entries.nodes;
}

function keyedEntry(
  context: BuildContext,
  place: ElementPlace,
  key: number,
  value: number,
  nameKey: "ambiguous" | undefined,
  entries: EntrySet,
): void {
  const { doc } = context;
  const name = literalText(context, key, "name");
  if (name === undefined) return;
  if (doc.isLeftOut(value)) return void context.leftOut(key, name);
  if (doc.kind(value) !== "map") {
    const next = `Write ${flowScalar(name)}: {} for an entry that has only its name, else a map of its children.`;
    return void context.error(
      new PlumblineError("wrong-shape", `"${name}" is an entry of "${place.tag}".`, { where: context.where(value), next }),
    );
  }
  const directives = Directives.read(context, value);
  if (directives.has("$forEach")) {
    for (const made of repeated(context, entries.list, directives) ?? [])
      entries.add(
        key,
        entryNode(context, place, entries.list, { name: made.name, key, body: value, nameKey, scope: made.scope, directives }),
        true,
      );
    return;
  }
  addCounted(context, place, entries, { name, key, body: value, nameKey, scope: undefined, directives });
}

interface EntryParts {
  readonly name: string;
  /** YAML node of the entry, for messages. */
  readonly key: number;
  readonly body: number | undefined;
  readonly nameKey: "key" | "ambiguous" | undefined;
  readonly scope: LocalScope | undefined;
  readonly directives?: Directives;
}

function addCounted(context: BuildContext, place: ElementPlace, entries: EntrySet, parts: EntryParts): void {
  const many: readonly Repetition[] | undefined =
    parts.directives === undefined || parts.directives.none ? undefined : counted(parts.name, parts.directives);
  if (many === undefined) entries.add(parts.key, entryNode(context, place, entries.list, parts));
  for (const { name, scope } of many ?? [])
    entries.add(parts.key, entryNode(context, place, entries.list, { ...parts, name, scope }), true);
}

function entryNode(context: BuildContext, place: ElementPlace, list: Path, parts: EntryParts): DesiredNode {
  const shape: Shape = place.shape.child("entry", parts.name);
  const { directives, body } = parts;
  const override = place.from.override || directives?.flag("$override") === true;
  directives?.allowOnly("entry");
  const partial = directives?.flag("$partial") === true;
  const complete = !partial && !shape.structural;
  const from: Inherited = { isComplete: complete, override, scope: parts.scope ?? place.from.scope };
  const path = list.entry(parts.name);
  const kids = body === undefined ? NO_CHILDREN : context.children(context, body, shape, path, from, parts.nameKey);
  const members = directives?.pair("$members");
  const held = members && memberSequence(context, { tag: "entry", key: members.key, shape, parent: path, from }, members.value)?.children;
  const handling = directives === undefined ? commonOf(from) : entryHandling(directives, from, parts.scope);
  const node = new DesiredNode("entry", parts.name, "", held === undefined ? kids : [...kids, ...held], {
    origin: context.origin(parts.key),
    prunes: complete,
    declared: true,
    handling,
  });
  if (directives !== undefined) addFragment(context, node, directives, shape, from);
  if (partial) context.draft.partial.add(node);
  return node;
}

function commonOf(from: Inherited): Handling | undefined {
  return from.override ? { override: true } : undefined;
}

function entryHandling(directives: Directives, from: Inherited, scope: LocalScope | undefined): Handling | undefined {
  if (directives.none) return commonOf(from);
  const was = directives.text("$was");
  const adopt = directives.flag("$adopt");
  const down = directives.flag("$down");
  const rebuild = directives.flag("$rebuild");
  const madeBy = scope === undefined ? undefined : directives.has("$forEach") ? `$forEach in ${scope.target ?? ""}` : "$count";
  const common = commonHandling(directives, from);
  if (was === undefined && !adopt && !down && !rebuild && madeBy === undefined) return common;
  return {
    ...common,
    ...(was === undefined ? {} : { was }),
    ...(adopt ? { adopt } : {}),
    ...(down ? { down } : {}),
    ...(rebuild ? { rebuild } : {}),
    ...(madeBy === undefined ? {} : { madeBy }),
  };
}

function listNode(context: BuildContext, place: ElementPlace, position: DeclaredPosition, entries: readonly DesiredNode[]): DesiredNode {
  const handling: Handling | undefined =
    position === undefined && !place.from.override
      ? undefined
      : {
          ...commonOf(place.from),
          ...(position?.position === undefined ? {} : { position: position.position }),
          ...(position?.contiguous === true ? { contiguous: true } : {}),
        };
  const anchor = position?.position !== undefined && "anchor" in position.position ? position.position.anchor : undefined;
  if (anchor !== undefined && entries.some((entry) => entry.name === anchor))
    context.error(
      new PlumblineError("position-conflict", `$position names "${anchor}", which is one of the entries that it places.`, {
        where: context.where(place.key),
        next: "Name an entry outside this block.",
      }),
    );
  checkRenames(entries, place.shape, (origin) => context.file.where(origin - context.base), context.problems);
  return new DesiredNode(place.tag, undefined, "", entries, {
    origin: context.origin(place.key),
    prunes: place.from.isComplete,
    declared: true,
    handling,
  });
}

/** Entries of one list in one document, without duplicate names. */
class EntrySet {
  readonly nodes: DesiredNode[] = [];
  readonly list: Path;
  readonly #context: BuildContext;
  /** Undefined while all entries are keys of one map, because these are distinct. */
  #names: Set<string | undefined> | undefined;

  constructor(context: BuildContext, list: Path, distinct = false) {
    this.#context = context;
    this.list = list;
    this.#names = distinct ? undefined : new Set();
  }

  /** `made`: a directive created the entry, so the name is not the key. */
  add(key: number, entry: DesiredNode, made = false): void {
    if (made) this.#names ??= new Set(this.nodes.map(({ name }) => name));
    if (this.#names?.has(entry.name) === true)
      this.#context.error(
        new PlumblineError("declared-twice", `The entry "${entry.name}" occurs twice in one list.`, {
          where: this.#context.where(key),
          next: "Delete one of them, or give it another name.",
        }),
      );
    this.#names?.add(entry.name);
    this.nodes.push(entry);
  }
}

function hasPlainKeys(context: BuildContext, map: number): boolean {
  const { doc } = context;
  for (let key = doc.first(map); !doc.ends(key); key = doc.after(doc.after(key))) if (!doc.beginsWithDollar(key)) return true;
  return false;
}

function orderedAsMap(context: BuildContext, place: ElementPlace, value: number): undefined {
  return context.error(
    new PlumblineError("ordered-list-as-map", `The order of "${place.tag}" matters, and a map has no order.`, {
      where: context.where(value),
      next: "Write a sequence of maps, each with its name: - name: x",
    }),
  );
}

function oblige(context: BuildContext, place: ElementPlace, value: number, kind: "empty-list" | "empty-map" = "empty-list"): void {
  context.draft.obligations.push({ kind, path: pathOf(place), where: context.where(value), example: place.tag });
}
