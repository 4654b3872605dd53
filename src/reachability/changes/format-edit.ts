import type { Edit } from "../../outcome/insight.js";
import type { Cause, NamedOfAny, ObjectChange } from "../flows/cause.js";
import type { AddressRange, AnyOf, Match, Rule, Unknown } from "../flows/policy.js";
import { rangeText } from "../format/format-addresses.js";
import { formatServices } from "../format/format-services.js";

const KINDS = { added: "new", removed: "deleted", moved: "moved", disabled: "disabled", enabled: "enabled" } as const;

/** Describes an edit completely. */
export function editOf(cause: Cause): Edit {
  if (cause.kind === "objects") return objectsEdit(cause.objects);
  const { rule } = cause;
  const edit = { subject: `rule ${rule.key.name}`, where: rule.origin };
  if (cause.change !== "changed") return { ...edit, changes: [{ kind: KINDS[cause.change], items: [] }] };
  const names = changesBetween(itemsOf(cause.before, false), itemsOf(rule, false));
  return { ...edit, changes: names.length > 0 ? names : orChanged(changesBetween(itemsOf(cause.before, true), itemsOf(rule, true))) };
}

function objectsEdit(objects: readonly ObjectChange[]): Edit {
  const [only, ...others] = objects;
  if (only !== undefined && others.length === 0) {
    const { before, after } = only;
    return {
      subject: `object ${after.name}`,
      where: after.origin ?? {},
      changes: orChanged(changesBetween(contentOf(before), contentOf(after))),
    };
  }
  const changes = objects.flatMap(({ before, after }) =>
    orChanged(changesBetween(contentOf(before), contentOf(after))).map(({ kind, items }) => ({
      kind,
      items: items.length === 0 ? [after.name] : items.map((item) => `${item} in ${after.name}`),
    })),
  );
  const kinds = [...new Set(changes.map(({ kind }) => kind))];
  return {
    subject: `objects ${objects.map(({ after }) => after.name).join(", ")}`,
    where: {},
    changes: kinds.map((kind) => ({ kind, items: changes.filter((each) => each.kind === kind).flatMap(({ items }) => items) })),
  };
}

function changesBetween(before: readonly string[], after: readonly string[]): Edit["changes"] {
  const [was, is] = [new Set(before), new Set(after)];
  const added = [...is].filter((item) => !was.has(item));
  const removed = [...was].filter((item) => !is.has(item));
  return [
    { kind: "added", items: added },
    { kind: "removed", items: removed },
  ].filter(({ items }) => items.length > 0);
}

const orChanged = (changes: Edit["changes"]): Edit["changes"] => (changes.length > 0 ? changes : [{ kind: "changed", items: [] }]);

/** Returns the own content of an object, one text per member or value. */
function contentOf({ members, values, unknowns }: NamedOfAny): string[] {
  return [...members.map(({ name }) => name), ...values.map(valueText), ...unknowns.map(unknownText)];
}

function unknownText({ kind, name, definition }: Unknown): string {
  const content = plain(definition);
  return `${kind} ${name}${content === name ? "" : ` (${content})`}`;
}

/** Removes XML marks. */
const plain = (definition: string): string =>
  definition
    .replace(/<\/[^>]*>/g, "")
    .replace(/[<>]+/g, " ")
    .trim();

function valueText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  if ("protocol" in value) return serviceText(value as ServiceValue);
  return rangeText(value as AddressRange);
}

type ServiceValue = Parameters<typeof formatServices>[0][number] & {
  readonly sourcePorts?: readonly { readonly first: number; readonly last: number }[] | undefined;
};

function serviceText(value: ServiceValue): string {
  const ports = value.sourcePorts?.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(" ");
  return `${formatServices([value])}${ports === undefined ? "" : ` from port ${ports}`}`;
}

/** Returns each part of a rule that decides which flows it matches, and its action. `isDetailed` adds the content of names. */
function itemsOf({ zones, source, destination, traffic, users, conditions, action }: Rule, isDetailed: boolean): string[] {
  const names = (what: string, list: "any" | readonly string[]) =>
    list === "any" ? [`${what} any`] : list.map((name) => `${what} ${name}`);
  const match = (what: string, of: Match<unknown>): string[] => {
    if (of === "any") return [`${what} any`];
    const text = (object: NamedOfAny) => (isDetailed ? `${object.name} (${contentOf(object).join(", ")})` : object.name);
    return of.objects.map((object) => `${what}${of.negated ? " not in" : ""} ${text(object)}`);
  };
  const condition = (unknown: Unknown) => (isDetailed ? unknownText(unknown) : `${unknown.kind} ${unknown.name}`);
  const literals = (anyOf: AnyOf) => anyOf.map(({ unknown, holds }) => `${holds ? "" : "not "}${condition(unknown)}`);
  return [
    `type ${zones.type}`,
    ...names("source zone", zones.from),
    ...names("destination zone", zones.to),
    ...match("source", source),
    ...match("destination", destination),
    ...traffic.flatMap((each) => [
      ...match("application", each.applications),
      ...match("service", each.services),
      ...(each.conditions ?? []).flatMap(literals),
    ]),
    ...(users === "any"
      ? ["user any"]
      : [...users.states.map((state) => `users ${state}`), ...users.unknowns.map(({ name }) => `user ${name}`)]),
    ...conditions.flatMap(literals),
    `action ${action}`,
  ];
}
