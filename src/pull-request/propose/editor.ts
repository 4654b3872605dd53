import { find } from "../../core/tree/lookup.js";
import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { refusedNodes } from "../../desired/field-faults.js";
import { type FieldPlace, placeAt } from "../../desired/field-table.js";
import type { DesiredKind } from "../../desired/kind.js";
import { escapeTemplate, parseTemplate } from "../../desired/template.js";
import type { Claim } from "../../import/claims.js";
import { Encoder } from "../../import/encode.js";
import type { ExistingDocument } from "../../import/existing.js";
import { localPart } from "../../import/local.js";
import { isMap, isScalar, isSeq, Pair, setText, toItem, toNode, toPair, type YAMLMap, type YAMLSeq } from "../../import/yaml.js";
import { valueAt } from "../../import/yaml-entries.js";
import type { Change } from "../../plan/diff/change.js";
import { claimsAt } from "./documents.js";
import { EntryList } from "./entry-list.js";
import { BY_REFERENCE, MADE, refuse, SECRET } from "./refusal.js";

const MAKERS = ["$forEach", "$count"];

/** Indentation per level, in spaces. */
const STEP = 2;
/** Depth below the place of a document from which objects may be written on one line. */
const OBJECT_DEPTH = 3;
const UNSAYABLE = "its document would need unknown: allow for it";

/**
 * Writes differences of a live tree into the documents that declare them. Makes minimal edits in place. If an edit is not possible, throws
 * `NotProposable` before any change.
 */
export class Editor {
  readonly #documents: readonly ExistingDocument[];
  readonly #live: TreeNode;
  readonly #shape: Shape;
  readonly #fields: FieldPlace | undefined;
  readonly #lists = new Map<unknown, EntryList>();
  readonly #siblings = new Map<TreeNode, { readonly names: readonly string[]; readonly index: ReadonlyMap<string, number> }>();
  readonly touched = new Set<string>();

  constructor(documents: readonly ExistingDocument[], live: TreeNode, { shape, fields }: Pick<DesiredKind, "shape" | "fields">) {
    this.#documents = documents;
    this.#live = live;
    this.#shape = shape;
    this.#fields = fields?.();
  }

  /** Writes the live state of a change into a document and returns its file. */
  accept(change: Change): string {
    const file = this.#accept(change);
    this.touched.add(file);
    return file;
  }

  /** Writes the pending changes of lists into the documents. Must be the last call. */
  finish(): void {
    for (const list of this.#lists.values()) list.flush();
  }

  #accept(change: Change): string {
    switch (change.kind) {
      case "differs":
        return this.#differs(change.path, change.before, change.after.handling?.secret !== undefined);
      case "missing":
        return this.#missing(change.path);
      case "extra":
        if (change.reason === "ledger") refuse("the repository took it out, and the next reconcile deletes it");
        if (change.reason === "excluded") refuse("$exclude removes it");
        return this.#extra(change.path, change.before);
      case "unmanaged":
        return this.#extra(change.path, change.before);
      case "order":
        return this.#order(change.path);
      case "renamed":
        return refuse("the repository asks for another name with $was");
    }
  }

  #differs(path: Path, live: TreeNode, secret: boolean): string {
    if (secret || live instanceof SecretLeaf) refuse(SECRET);
    this.#refuseUnsayable(path, live);
    const { document, yaml: parent } = this.#parentOf(path);
    const node = this.#childOf(parent, path);
    refuseReferences(node);
    if (isScalar(node) && live.children.length === 0) {
      this.#put(parent, path, setText(node, escapeTemplate(live.text)));
      return document.file;
    }
    const shape = this.#shapeAt(path);
    if (isMap(node) && (valueAt(node, "$include") !== undefined || valueAt(node, "$exclude") !== undefined)) {
      limitMembers(node, live);
      return document.file;
    }
    const list = isMap(node) ? valueAt(node, "$members") : node;
    if (isSeq(list) && live.children.length > 0) {
      setMembers(list, live, shape.ordered, this.#indentOf(document, path));
      return document.file;
    }
    const value = new Encoder().element(live, shape, path.depth - document.place.depth) ?? refuse("the live value equals the default");
    this.#put(parent, path, toNode(value, this.#indentOf(document, path)));
    return document.file;
  }

  /** Refuses nodes that `validate` would refuse. */
  #refuseUnsayable(path: Path, live: TreeNode): void {
    const place = this.#fields === undefined ? undefined : placeAt(this.#fields, path);
    if (place !== undefined && refusedNodes(live, place).size > 0) refuse(UNSAYABLE);
  }

  #missing(path: Path): string {
    const { document } = this.#parentOf(path);
    this.#remove(document, path);
    return document.file;
  }

  /** Removes a node. Also removes its parents if they become empty and have no meaning without content. */
  #remove(document: ExistingDocument, path: Path): void {
    const above = path.parent ?? path;
    const parent = this.#claimIn(document, above);
    const list = path.name === undefined ? undefined : this.#list(parent);
    if (list === undefined) refuseReferences(this.#childOf(parent, path));
    else {
      refuseMade(list.holder);
      refuseReferences(list.bodyOf(path.name ?? ""));
    }
    const map = parent as YAMLMap;
    const last = (list?.size ?? map.items.length) === 1 && above.depth > document.place.depth;
    if (last && above.name === undefined) {
      // An empty element that exists on the target has a meaning, unless its shape defines it as absent. Nameless entries that no document
      // declares are not part of the list.
      const { emptyIsAbsent, key } = this.#shapeAt(above);
      if (emptyIsAbsent || key !== undefined || find(this.#live, above) === undefined) {
        this.#remove(document, above);
        return;
      }
      if (list !== undefined) refuse("the list would be empty, which must be declared manually");
    }
    if (list !== undefined) list.remove(path.name ?? "");
    else map.items = map.items.filter(({ key }) => !(isScalar(key) && key.value === path.tag));
    if (last && list === undefined) map.flow = true;
  }

  #extra(path: Path, live: TreeNode): string {
    const node = localPart(live, this.#shapeAt(path)) ?? refuse("a template or a manager put it there");
    this.#refuseUnsayable(path, node);
    const above = path.parent ?? path;
    if (path.name !== undefined) return this.#extraEntry(path, above, node);
    const { document, yaml: parent } = this.#claim(above);
    refuseMade(parent);
    if (!isMap(parent)) return refuse("the form that its document has for the node around it has no room for it");
    if (parent.items.some(({ key }) => isScalar(key) && (key.value === path.tag || key.value === "$xml")))
      return refuse("its document writes the node around it as $xml, or declares it already");
    if (this.#shapeAt(path).kind === "unknown" && this.#shapeAt(above).complete !== undefined) return refuse(UNSAYABLE);
    const value = new Encoder().element(node, this.#shapeAt(path), path.depth - document.place.depth) ?? refuse("it is equal to absence");
    parent.items.push(toPair(path.tag, value, this.#indentOf(document, path)));
    if (parent.flow === true && (parent.items.length > 4 || !isInline(parent))) parent.flow = false;
    return document.file;
  }

  #extraEntry(path: Path, list: Path, node: TreeNode): string {
    const name = path.name ?? "";
    const claims = claimsAt(this.#documents, list).map((claim) => ({ claim, entries: this.#list(claim.yaml) }));
    const before = this.#before(list, name, (one) => claims.some(({ entries }) => entries.has(one)));
    const chosen = claims.find(({ entries }) => before !== undefined && entries.has(before)) ?? claims[0];
    if (chosen === undefined) return refuse("no document declares the list around it");
    const { claim, entries } = chosen;
    refuseMade(entries.holder);
    if (node.children.some(({ tag }) => tag === "name")) refuse("one of its children is called name, which this list cannot contain");
    entries.add({
      name,
      body: new Encoder().body(node, this.#shapeAt(path), OBJECT_DEPTH),
      after: this.#shapeAt(list).ordered ? (before ?? "") : undefined,
      indent: this.#indentOf(claim.document, path),
      isNameless: this.#shapeAt(list).key !== undefined,
    });
    return claim.document.file;
  }

  #order(list: Path): string {
    const [claim, ...others] = claimsAt(this.#documents, list);
    if (claim === undefined || others.length > 0) return refuse("several documents declare the list, each with a block of its own");
    const entries = this.#list(claim.yaml);
    refuseMade(entries.holder);
    entries.reorder(this.#siblingsAt(list)?.names ?? []);
    return claim.document.file;
  }

  #list(yaml: unknown): EntryList {
    let list = this.#lists.get(yaml);
    if (list === undefined) {
      list = new EntryList(yaml);
      this.#lists.set(yaml, list);
    }
    return list;
  }

  /** Returns the nearest declared entry before this one in the live order. */
  #before(list: Path, name: string, isWritten: (name: string) => boolean): string | undefined {
    const siblings = this.#siblingsAt(list);
    for (let i = (siblings?.index.get(name) ?? 0) - 1; i >= 0; i--) {
      const one = siblings?.names[i] ?? "";
      if (isWritten(one)) return one;
    }
    return undefined;
  }

  #siblingsAt(list: Path) {
    const node = find(this.#live, list);
    if (node === undefined) return undefined;
    let siblings = this.#siblings.get(node);
    if (siblings === undefined) {
      const names = node.children.flatMap(({ name }) => name ?? []);
      siblings = { names, index: new Map(names.map((name, index) => [name, index])) };
      this.#siblings.set(node, siblings);
    }
    return siblings;
  }

  /** Returns the claim on the parent node of the only document that declares `path`. */
  #parentOf(path: Path): Claim {
    const [claim, ...others] = claimsAt(this.#documents, path);
    if (claim === undefined) {
      this.#refuseMadeAround(path);
      return refuse("no document declares it in a form that can be changed in place");
    }
    if (others.length > 0) return refuse("several documents declare it");
    const above = claimsAt(this.#documents, path.parent ?? path).find(({ document }) => document === claim.document);
    return above ?? refuse("its document writes it as $xml");
  }

  /** Refuses if a directive in the nearest declared parent may create the node. */
  #refuseMadeAround(path: Path): void {
    for (let at = path.parent; at !== undefined && at.depth > 0; at = at.parent) {
      const claims = claimsAt(this.#documents, at);
      for (const { yaml } of claims) refuseMade(yaml);
      if (claims.length > 0) return;
    }
  }

  #claimIn(document: ExistingDocument, path: Path): unknown {
    return (claimsAt(this.#documents, path).find((claim) => claim.document === document) ?? refuse("its document writes it as $xml")).yaml;
  }

  #claim(path: Path): Claim {
    const [claim, ...others] = claimsAt(this.#documents, path);
    if (claim === undefined) return refuse("no document declares the node around it");
    return others.length > 0 ? refuse("several documents declare the node around it") : claim;
  }

  #childOf(parent: unknown, path: Path): unknown {
    const child = isMap(parent) && path.name === undefined ? valueAt(parent, path.tag) : undefined;
    return child ?? refuse("its document writes it in a form that cannot be changed in place");
  }

  #put(parent: unknown, path: Path, node: unknown): void {
    const pair = (parent as YAMLMap).items.find(({ key }) => isScalar(key) && key.value === path.tag);
    if (!(pair instanceof Pair)) refuse(BY_REFERENCE);
    (pair as Pair).value = node;
  }

  #shapeAt(path: Path): Shape {
    return path
      .steps()
      .slice(1)
      .reduce((shape, step) => shape.child(step.tag), this.#shape);
  }

  #indentOf(document: ExistingDocument, path: Path): number {
    return STEP * (path.depth - document.place.depth);
  }
}

function isInline(map: YAMLMap): boolean {
  return map.items.every(({ value }) => isScalar(value) || (isSeq(value) && value.flow === true) || (isMap(value) && value.flow === true));
}

function setMembers(list: YAMLSeq, live: TreeNode, ordered: boolean, indent: number): void {
  const wanted = live.children.map(({ text }) => text);
  const there = new Map(list.items.map((item) => [isScalar(item) ? String(item.value) : "", item]));
  const itemOf = (text: string) => there.get(escapeTemplate(text)) ?? toItem({ kind: "text", text: escapeTemplate(text) }, indent);
  if (ordered) list.items = wanted.map(itemOf);
  else {
    const live = new Set(wanted.map(escapeTemplate));
    const kept = list.items.filter((item) => isScalar(item) && live.has(String(item.value)));
    list.items = [...kept, ...wanted.filter((text) => !there.has(escapeTemplate(text))).map(itemOf)];
  }
}

/** Removes members that are not live from `$include`. Never changes `$exclude`, because it was written on purpose. */
function limitMembers(map: YAMLMap, live: TreeNode): void {
  const texts = new Set(live.children.map(({ text }) => escapeTemplate(text)));
  const isLive = (item: unknown) => isScalar(item) && texts.has(String(item.value));
  const excluded = valueAt(map, "$exclude");
  if (isSeq(excluded) && excluded.items.some(isLive)) refuse("$exclude removes it");
  const included = valueAt(map, "$include");
  const kept = isSeq(included) ? included.items.filter(isLive) : [];
  if (!isSeq(included) || kept.length === 0) refuse("$include would be empty");
  else included.items = kept;
}

/** Refuses a node that contains a directive that creates nodes. */
function refuseMade(node: unknown): void {
  const makes = (one: unknown) => isMap(one) && MAKERS.some((maker) => valueAt(one, maker) !== undefined);
  if (makes(node) || (isMap(node) && node.items.some(({ value }) => makes(value))) || (isSeq(node) && node.items.some(makes))) refuse(MADE);
}

/** Refuses a node that contains a reference, except to a kept secret. */
function refuseReferences(node: unknown): void {
  if (isScalar(node)) {
    if (typeof node.value === "string" && refers(node.value)) refuse(BY_REFERENCE);
  } else if (isSeq(node)) node.items.forEach(refuseReferences);
  else if (isMap(node)) for (const { value } of node.items) refuseReferences(value);
}

function refers(text: string): boolean {
  const template = parseTemplate(text);
  return "unclosedAt" in template || template.some((part) => typeof part !== "string" && part.kind !== "keep");
}
