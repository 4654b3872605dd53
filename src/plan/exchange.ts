import type { Operation } from "../core/operation.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import { type Atom, soleOperation } from "./atom.js";
import type { Constraints } from "./constraints.js";
import { holdsSecret } from "./diff/inherited.js";
import type { EffectFinder } from "./effect-finder.js";
import { type Effects, noEffects } from "./effects.js";
import { nameKey, referenceKey } from "./keys.js";
import type { Definition, NameReference } from "./namespace.js";

/** An object that passes its name to another one in the same namespace while in use, such as an address that becomes a group. */
interface Exchange {
  readonly old: Definition;
  readonly removing: number;
  readonly wanted: Definition;
  readonly creating: number;
}

/** Atoms that an exchange changes or adds. */
export interface Exchanged {
  readonly replaced: Map<number, Atom[]>;
  readonly added: Atom[];
}

/** State shared by all exchanges: unused names for temporary objects, and the names already exchanged. */
export interface Exchanges {
  temporaryName(): string;
  /** The platform moves entries, so lists need not be written in order. */
  readonly canMove: boolean;
  readonly done: Set<string>;
}

/**
 * Resolves name exchanges in a cycle. All references to the old object are pointed to a temporary object. Then the old object is deleted,
 * the new one is created and referenced, and the temporary one is deleted. References that the plan removes are also pointed away, because
 * their removal may have to wait for the new object. Adds to `result`. Does nothing if the cycle contains no exchange, or if objects or
 * references of an exchange cannot be written again.
 */
export function exchangeNames(
  atoms: readonly Atom[],
  cycle: readonly number[],
  constraints: Constraints,
  references: readonly NameReference[],
  finder: EffectFinder,
  exchanges: Exchanges,
  result: Exchanged,
): void {
  const inCycle = new Set(cycle);
  const at = (index: number): Atom => last(result.replaced.get(index)) ?? (atoms[index] as Atom);
  const droppers = indexBy(atoms, (effects) => effects.drops);
  const editOver = editsOver(atoms);
  for (const exchange of exchangesIn(inCycle, constraints)) {
    const placeholder = placeholderFor(exchange, at(exchange.creating), finder);
    const removal = soleOperation(at(exchange.removing));
    if (soleOperation(at(exchange.creating))?.action !== "set") continue;
    if (placeholder === undefined || removal?.action !== "delete" || !removal.at.equals(exchange.old.path)) continue;
    if (exchanges.done.has(nameKey(exchange.old))) continue;
    const users = references.filter((reference) => constraints.before(reference) === exchange.old);
    const steps = new Steps(exchange, placeholder, exchanges.temporaryName(), finder);
    if (!users.every((reference) => steps.canPoint(reference))) continue;
    exchanges.done.add(nameKey(exchange.old));
    for (const reference of users) {
      const dropper = droppers.get(referenceKey(reference));
      const away = steps.away(reference);
      result.added.push(away);
      const keeper = dropper ?? editOver(reference.path);
      if (keeper === undefined) result.added.push(steps.back(reference, away));
      else result.replaced.set(keeper, [steps.rewritten(at(keeper), reference, away, dropper === undefined)]);
    }
    result.added.push(steps.create(), steps.remove());
  }
}

function exchangesIn(cycle: ReadonlySet<number>, { creator, remover }: Constraints): Exchange[] {
  const wanted = new Map<string, [Definition, number]>();
  for (const [definition, index] of creator) if (cycle.has(index)) wanted.set(nameKey(definition), [definition, index]);
  const exchanges: Exchange[] = [];
  for (const [old, removing] of remover) {
    const heir = cycle.has(removing) ? wanted.get(nameKey(old)) : undefined;
    if (heir !== undefined) exchanges.push({ old, removing, wanted: heir[0], creating: heir[1] });
  }
  return exchanges;
}

/** The original of a temporary object. */
interface Placeholder {
  readonly definition: Definition;
  readonly element: TreeNode;
}

/** Returns the old or the new object. Prefers one without references, because their objects would also have to exist. */
function placeholderFor({ old, wanted }: Exchange, creating: Atom, finder: EffectFinder): Placeholder | undefined {
  const candidates: Placeholder[] = [];
  const live = finder.live(old.path);
  if (live !== undefined && !holdsSecret(live) && !holdsUnique(live, old.path, finder)) candidates.push({ definition: old, element: live });
  const element = wantedElement(creating, wanted, finder);
  if (element !== undefined) candidates.push({ definition: wanted, element });
  return candidates.find((candidate) => !namesOthers(candidate, finder)) ?? candidates.at(-1);
}

function namesOthers({ definition, element }: Placeholder, finder: EffectFinder): boolean {
  const { parent } = definition.path;
  const copy = new TreeNode(element.tag, `${definition.name} `, "", element.children);
  return parent !== undefined && finder.of([{ action: "set", at: parent, element: copy }]).adds.length > 0;
}

/** Returns the entry that the creating `set` writes for the object, or undefined if two copies cannot exist simultaneously. */
function wantedElement(atom: Atom, { path }: Definition, finder: EffectFinder): TreeNode | undefined {
  const operation = soleOperation(atom);
  if (operation?.action !== "set") return undefined;
  let node: TreeNode | undefined = operation.element;
  for (const step of path.steps().slice(operation.at.depth + 1))
    node = node?.children.find((child) => child.tag === step.tag && child.name === step.name);
  return node === undefined || node.name !== path.name || holdsUnique(node, path, finder) ? undefined : node;
}

function holdsUnique(node: TreeNode, path: Path, finder: EffectFinder): boolean {
  return node.children.some((child) => finder.place(path.child(child.tag)).shape.unique === true);
}

function indexBy(atoms: readonly Atom[], pick: (effects: Effects) => readonly NameReference[]): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, { effects }] of atoms.entries()) for (const reference of pick(effects)) indexes.set(referenceKey(reference), index);
  return indexes;
}

/** Returns a function that finds the write which recreates the node at a path with its references. */
function editsOver(atoms: readonly Atom[]): (path: Path) => number | undefined {
  const edits = new Map<string, number>();
  for (const [index, atom] of atoms.entries()) {
    const operation = soleOperation(atom);
    if (operation?.action === "edit") edits.set(operation.at.toString(), index);
    for (const path of atom.rewrites ?? []) edits.set(path.toString(), index);
  }
  return (path) => {
    for (let at: Path | undefined = edits.size === 0 ? undefined : path; at !== undefined; at = at.parent) {
      const index = edits.get(at.toString());
      if (index !== undefined) return index;
    }
    return undefined;
  };
}

function last(atoms: readonly Atom[] | undefined): Atom | undefined {
  return atoms?.at(-1);
}

/** The steps of one exchange. */
class Steps {
  readonly #exchange: Exchange;
  readonly #temporary: Definition;
  readonly #element: TreeNode;
  readonly #finder: EffectFinder;

  constructor(exchange: Exchange, { definition, element }: Placeholder, name: string, finder: EffectFinder) {
    this.#exchange = exchange;
    this.#temporary = { ...definition, name, path: (definition.path.parent as Path).entry(name, definition.path.tag) };
    this.#element = new TreeNode(element.tag, name, "", element.children);
    this.#finder = finder;
  }

  canPoint(reference: NameReference): boolean {
    const node = this.#finder.live(reference.path);
    return node !== undefined && (reference.path.name === undefined || !holdsSecret(node));
  }

  create(): Atom {
    const set: Operation = { action: "set", at: this.#temporary.path.parent as Path, element: this.#element };
    return this.#atom([set], "create", this.#finder.of([set]));
  }

  remove(): Atom {
    const effects = { ...noEffects(), removes: [this.#temporary] };
    return this.#atom([{ action: "delete", at: this.#temporary.path }], "delete", effects);
  }

  /** Points a reference to the temporary object. */
  away(reference: NameReference): Atom {
    const effects = { ...noEffects(), adds: [this.#pointing(reference)], drops: [reference] };
    return this.#atom(this.#point(reference, this.#exchange.old.name, this.#temporary.name), "update", effects);
  }

  /** Points a reference to the new object. */
  back(reference: NameReference, away: Atom): Atom {
    const effects = { ...noEffects(), adds: [reference], drops: [this.#pointing(reference)] };
    return {
      ...this.#atom(this.#point(reference, this.#temporary.name, this.#exchange.old.name), "update", effects),
      after: tokensOf(away),
    };
  }

  /** Adjusts a write of the plan that removes the reference or writes it again: it now meets the temporary name. */
  rewritten(atom: Atom, reference: NameReference, away: Atom, keeps: boolean): Atom {
    const key = referenceKey(reference);
    const drops = [...atom.effects.drops.filter((dropped) => referenceKey(dropped) !== key), this.#pointing(reference)];
    const adds = keeps ? [...atom.effects.adds, reference] : atom.effects.adds;
    const operations = atom.operations.map((operation) => this.#retarget(operation, reference));
    return {
      ...atom,
      operations,
      effects: { ...atom.effects, adds, drops },
      after: [...(atom.after ?? []), ...tokensOf(away)],
      divided: true,
    };
  }

  #retarget(operation: Operation, reference: NameReference): Operation {
    const itself = operation.action === "delete" && operation.at.equals(reference.path) && operation.at.text !== undefined;
    return itself ? { action: "delete", at: this.#pointing(reference).path } : operation;
  }

  #pointing(reference: NameReference): NameReference {
    const { name } = this.#temporary;
    return { ...reference, value: name, path: renamed(reference.path, name) };
  }

  #point(reference: NameReference, from: string, to: string): Operation[] {
    const { path } = reference;
    const parent = path.parent as Path;
    const source = renamed(path, from);
    if (path.text === undefined && path.name === undefined)
      return [{ action: "set", at: parent, element: new TreeNode(path.tag, undefined, to) }];
    if (path.text !== undefined && this.#finder.place(parent).shape.ordered) return [this.#rewriteMembers(parent, reference.value, to)];
    // One edit replaces an addition and a deletion. It does not touch other members, also unmanaged ones.
    if (path.text !== undefined) return [{ action: "edit", at: source, element: new TreeNode(path.tag, undefined, to) }];
    const live = this.#finder.live(path);
    return [
      { action: "set", at: parent, element: new TreeNode(path.tag, to, "", live?.children ?? []) },
      { action: "delete", at: source },
    ];
  }

  #rewriteMembers(list: Path, live: string, to: string): Operation {
    const members = this.#finder.live(list)?.children ?? [];
    const element = new TreeNode(
      list.tag,
      undefined,
      "",
      members.map((member) => new TreeNode(member.tag, undefined, member.text === live ? to : member.text)),
    );
    return { action: "edit", at: list, element };
  }

  #atom(operations: readonly Operation[], phase: Atom["phase"], effects: Effects): Atom {
    return { operations, phase, effects, changes: [], fragment: -1, token: {}, divided: true };
  }
}

function tokensOf({ token }: Atom): object[] {
  return token === undefined ? [] : [token];
}

function renamed(path: Path, value: string): Path {
  const parent = path.parent as Path;
  if (path.name !== undefined) return parent.entry(value, path.tag);
  return path.text !== undefined ? parent.member(value, path.tag) : path;
}
