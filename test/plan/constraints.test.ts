import { describe, expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { Atom } from "../../src/plan/atom.js";
import { constrain } from "../../src/plan/constraints.js";
import { type Effects, type ListChange, noEffects } from "../../src/plan/effects.js";
import type { Definition, NameReference, Scope } from "../../src/plan/namespace.js";

const root: Scope = { id: "/", global: false, parent: undefined };
const shared: Scope = { id: "/config/shared", global: true, parent: root };
const v1: Scope = { id: "/config/vsys/entry[@name='v1']", global: false, parent: root };

function object(kind: string, name: string, scope = v1): Definition {
  return { path: parsePath(`${scope.id}/${kind}/entry[@name='${name}']`), kind, namespace: "address", scope, name };
}

function naming(value: string, holder?: Definition): NameReference {
  const path = parsePath(`${holder?.path ?? `${v1.id}/rules/entry[@name='r']`}/source/member[text()='${value}']`);
  return { path, value, kinds: ["address", "group"], scope: v1, holder };
}

const leading = (value: string): NameReference => ({ ...naming(value), leads: true });

function members(added: number, dropped: number): ListChange {
  const path = parsePath(`${v1.id}/rules/entry[@name='r']/source`);
  return { site: path.toString(), path, matches: true, neverEmpty: true, live: 1, added, dropped };
}

const write = (effects: Partial<Effects>): Atom => ({
  operations: [{ action: "delete", at: parsePath("/config") }],
  phase: "update",
  changes: [],
  effects: { ...noEffects(), ...effects },
  fragment: 0,
});

interface Row {
  readonly first: Partial<Effects>;
  readonly next: Partial<Effects>;
  /** References that no write touches. */
  readonly standing?: readonly NameReference[];
}

const unique = (key: string) => ({ key, path: parsePath("/config/units/entry[@name='u']") });
const hider = object("group", "x");
const outer = object("group", "outer");
const inner = object("group", "inner");

/** One case for each row of the table in constraints.ts, with the same text. */
const ROWS: Readonly<Record<string, Row>> = {
  "create of an object, write that begins to name it": { first: { creates: [object("address", "a")] }, next: { adds: [naming("a")] } },
  "write that ceases to name an object, delete of that object": {
    first: { drops: [naming("a")] },
    next: { removes: [object("address", "a")] },
  },
  "create of an object, delete of another that stands for the same name": {
    first: { creates: [object("address", "a", shared)] },
    next: { removes: [object("address", "a")] },
    standing: [naming("a")],
  },
  "delete of an object, create of another with its name in the same scope and namespace": {
    first: { removes: [object("address", "a")] },
    next: { creates: [object("group", "a")] },
  },
  "writes that add to a list of which no old member stays, writes that take the last old members away": {
    first: { lists: [members(1, 0)] },
    next: { lists: [members(0, 1)] },
  },
  "write that frees a unique value, write that takes it": { first: { frees: [unique("5")] }, next: { takes: [unique("5")] } },
  "write that begins to name an object where that leads, write that begins to name it elsewhere": {
    first: { adds: [leading("p")] },
    next: { adds: [naming("p")] },
  },
  "write that ceases to name an object where that leads, write that begins to name it elsewhere": {
    first: { drops: [leading("p")] },
    next: { adds: [naming("p")] },
  },
  "write that ceases to name an object, write that begins to name it where that leads": {
    first: { drops: [naming("p")] },
    next: { adds: [leading("p")] },
  },
  "write that ends a derived reference to an object, write by which the object ceases to name another": {
    first: { drops: [{ ...naming("g"), follows: true }] },
    next: { drops: [naming("a", object("group", "g"))] },
  },
  "write that ceases to name an object, write that ceases to name it where that leads": {
    first: { drops: [naming("p")] },
    next: { drops: [leading("p")] },
  },
  "write that sets a value with a claim, create of an object that could get the value": {
    first: { claims: ["port", "server"], creates: [object("port", "a")] },
    next: { creates: [object("server", "b")] },
  },
  "delete of one side of a choice, set of another side": { first: { unchooses: ["value"] }, next: { chooses: ["value"] } },
  "delete of a group that hides another of its name, write that puts the other into a group": {
    first: { removes: [hider] },
    next: { adds: [naming("x", outer)], creates: [object("address", "x", shared)] },
  },
  "writes that finish a group, writes that put it into another group": {
    first: { drops: [naming("outer", inner)] },
    next: { adds: [naming("inner", outer)] },
  },
};

function comesBefore(first: Atom, next: Atom, standing: readonly NameReference[], live: readonly Definition[]): boolean {
  // The later write is first in the list, so only a constraint can reverse them.
  const { graph } = constrain([next, first], {
    survey: { definitions: live, references: standing },
    renamed: [],
    nested: () => [naming("outer", inner)],
  });
  const seen = new Set<number>();
  const walk = (node: number): boolean => {
    if (node === 0) return true;
    if (seen.has(node)) return false;
    seen.add(node);
    return graph.next(node).some(walk);
  };
  return walk(1);
}

describe("order constraints", () => {
  it.each(Object.entries(ROWS))("%s", (words, { first, next, standing = [] }) => {
    const live = words.startsWith("writes that finish") ? [outer, inner] : [];
    expect(comesBefore(write(first), write(next), standing, live)).toBe(true);
    expect(comesBefore(write({}), write(next), standing, live)).toBe(false);
  });
});
