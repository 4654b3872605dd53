import { PlumblineError } from "../../core/errors.js";
import { DesiredNode, type Handling } from "../model.js";
import type { BuildContext } from "./context.js";
import { Directives } from "./directives.js";
import { type ElementPlace, pathOf, wrongShape } from "./element-place.js";
import { repeated } from "./for-each.js";
import { literalText, member, NO_CHILDREN } from "./value.js";
import { valueList } from "./values.js";

/** Directives of a map of members. */
export const LISTS_OF_MEMBERS = ["$members", "$include", "$exclude", "$add", "$remove"] as const;

/** Builds a complete list from a sequence of members. In a known member list, `{}` is an empty list. */
export function memberSequence(context: BuildContext, place: ElementPlace, value: number): DesiredNode | undefined {
  const { doc } = context;
  const { shape } = place;
  if (doc.isEmpty(value)) {
    if (shape.matchList)
      return context.error(
        new PlumblineError("empty-list", `"${place.tag}" cannot be empty: a device reads that as any.`, {
          where: context.where(value),
          next: "Write [any] if any is intended, or delete the key.",
        }),
      );
    context.draft.obligations.push({ kind: "empty-list", path: pathOf(place), where: context.where(value), example: place.tag });
  } else if (shape.sharedMembers)
    context.draft.obligations.push({
      kind: "shared-members",
      path: pathOf(place),
      where: context.where(value),
      example: `${place.tag}: { $include: [...] }`,
    });
  const members = memberNodes(context, place, value);
  if (members === undefined) return node(context, place, NO_CHILDREN, true, undefined);
  if (members.length === 0 && shape.matchList && !doc.isEmpty(value)) return foundNone(context, place, value);
  return node(context, place, members, true, place.from.override ? { override: true } : undefined);
}

/**
 * Builds `$members` (the complete list), `$include` and `$exclude` (a managed part), or `$add` and `$remove` (changes to a wider document's
 * list).
 */
export function managedMembers(context: BuildContext, place: ElementPlace, value: number, directives: Directives): DesiredNode | undefined {
  const { doc } = context;
  directives.allowOnly("members");
  for (let key = doc.first(value); !doc.ends(key); key = doc.after(doc.after(key)))
    if (!doc.beginsWithDollar(key)) {
      const next = "Write only $members, $include and $exclude, or $add and $remove, in this map.";
      return wrongShape(context, place.tag, key, place.shape, next);
    }
  for (const name of LISTS_OF_MEMBERS) {
    const pair = directives.pair(name);
    if (pair === undefined) continue;
    if (doc.isLeftOut(pair.value)) return context.leftOut(pair.key, name);
    if (doc.kind(pair.value) !== "sequence")
      return context.error(
        new PlumblineError("members-need-a-sequence", `${name} takes a sequence.`, {
          where: context.where(pair.value),
          next: `Write ${name}: [a, b].`,
        }),
      );
  }
  const all = directives.pair("$members");
  const edit = directives.pair("$add") ?? directives.pair("$remove");
  const part = directives.pair("$include") ?? directives.pair("$exclude");
  const given = [all, part, edit].filter((pair) => pair !== undefined);
  if (given.length > 1)
    return context.error(
      new PlumblineError(
        "directive-misplaced",
        "$members is the complete list. $include and $exclude manage a part of it. $add and $remove change the list of a wider document.",
        {
          where: context.where((all ?? edit ?? place).key),
          next: "Write either $members, or $include and $exclude, or $add and $remove.",
        },
      ),
    );
  if (all !== undefined) return memberSequence(context, place, all.value);
  return edit === undefined
    ? partOfMembers(context, place, value, directives, ["$include", "$exclude"])
    : partOfMembers(context, place, value, directives, ["$add", "$remove"]);
}

function partOfMembers(
  context: BuildContext,
  place: ElementPlace,
  value: number,
  directives: Directives,
  names: readonly ["$include", "$exclude"] | readonly ["$add", "$remove"],
): DesiredNode | undefined {
  const include = directives.pair(names[0]);
  const exclude = directives.pair(names[1]);
  const wanted = include === undefined ? [] : memberNodes(context, place, include.value);
  if (wanted === undefined) return node(context, place, NO_CHILDREN, false, undefined);
  const unwanted = exclude === undefined ? [] : texts(context, exclude.value, names[1]);
  const both = wanted.find((one) => unwanted.includes(one.text));
  if (both !== undefined)
    return context.error(
      new PlumblineError(
        "directive-value",
        `"${both.text}" is both ${names[0] === "$add" ? "added and removed" : "included and excluded"}.`,
        {
          where: context.where(place.key),
          next: "Delete it from one of them.",
        },
      ),
    );
  if (wanted.length === 0 && unwanted.length === 0)
    return context.error(
      new PlumblineError("directive-value", `${names.join(" and ")} name no member.`, {
        where: context.where(value),
        next: "Name a member, or delete the key.",
      }),
    );
  const override = place.from.override ? { override: true } : {};
  const handling: Handling = { ...override, exclude: unwanted, ...(names[0] === "$add" ? { edits: true } : {}) };
  const made = node(context, place, wanted, false, handling);
  if (handling.edits === true) context.draft.edits.add(made);
  return made;
}

function node(
  context: BuildContext,
  place: ElementPlace,
  members: readonly DesiredNode[],
  prunes: boolean,
  handling: Handling | undefined,
): DesiredNode {
  return new DesiredNode(place.tag, undefined, "", members, { origin: context.origin(place.key), prunes, declared: true, handling });
}

/** Reports a list without members because its `$forEach` found no node. Blocks only this target. */
function foundNone(context: BuildContext, place: ElementPlace, value: number): undefined {
  const error = new PlumblineError(
    "empty-list",
    `"${place.tag}" would be empty: $forEach selects nothing, and a device treats an empty list as any.`,
    {
      where: context.where(value),
      next: "Add a member that is always valid, or create the complete rule by a $forEach with the same select:.",
    },
  );
  context.draft.stop(error);
}

/** Returns the members, or undefined if one of them could not be built. */
function memberNodes(context: BuildContext, place: ElementPlace, sequence: number): readonly DesiredNode[] | undefined {
  const { doc } = context;
  const members: DesiredNode[] = [];
  let isKnown = true;
  for (let item = doc.first(sequence); !doc.ends(item); item = doc.after(item)) {
    if (doc.kind(item) === "scalar") {
      for (const text of valueList(context, doc.text(item)) ?? [undefined]) {
        const one = member(context, item, place.from, "member", text);
        if (one === undefined) isKnown = false;
        else members.push(one);
      }
    } else {
      const made = madeMembers(context, place, item);
      if (made === undefined) isKnown = false;
      else members.push(...made);
    }
  }
  if (!isKnown) return undefined;
  // A copy has no spare capacity, and most lists contain one or two members.
  return unrepeated(context, members.slice());
}

/** Removes duplicate members, with a warning. */
function unrepeated(context: BuildContext, members: DesiredNode[]): readonly DesiredNode[] {
  if (members.length < 2 || (members.length === 2 && members[0]?.text !== members[1]?.text)) return members;
  const seen = new Set<string>();
  const first = members.filter(({ text }) => !seen.has(text) && seen.add(text));
  if (first.length === members.length) return members;
  const kept = new Set(first);
  for (const one of members) if (!kept.has(one)) warnRepeated(context, one);
  return first;
}

/** Returns the members from a `$forEach` in a sequence. */
function madeMembers(context: BuildContext, place: ElementPlace, item: number): readonly DesiredNode[] | undefined {
  const { doc } = context;
  const directives = doc.kind(item) === "map" ? Directives.read(context, item) : undefined;
  if (directives?.has("$forEach") === true)
    return repeated(context, pathOf(place), directives)?.map(
      ({ name, scope }) =>
        new DesiredNode("member", undefined, name, NO_CHILDREN, {
          origin: context.origin(item),
          prunes: true,
          declared: true,
          handling: { madeBy: `$forEach in ${scope.target ?? ""}` },
        }),
    );
  return wrongShape(context, place.tag, item, place.shape, "Write members as plain values: [a, b].");
}

function texts(context: BuildContext, sequence: number, directive: string): readonly string[] {
  const { doc } = context;
  const all: string[] = [];
  for (let item = doc.first(sequence); !doc.ends(item); item = doc.after(item)) {
    if (doc.isLeftOut(item)) context.leftOut(item, "-");
    else if (doc.kind(item) === "scalar") {
      const listed = valueList(context, doc.text(item));
      const text = listed === undefined ? literalText(context, item, "member") : undefined;
      all.push(...(listed ?? (text === undefined ? [] : [text])));
    } else
      context.error(
        new PlumblineError("wrong-shape", `${directive} names members.`, {
          where: context.where(item),
          next: "Write them as plain values: [a, b].",
        }),
      );
  }
  return all;
}

function warnRepeated(context: BuildContext, { text, origin }: DesiredNode): void {
  context.problems.warn(
    new PlumblineError("repeated-member", `"${text}" occurs twice in one list of members.`, {
      where: context.file.where(origin - context.base),
      next: "Delete one of them.",
    }),
  );
}
