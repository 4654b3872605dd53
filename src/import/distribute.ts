import type { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredKind } from "../desired/kind.js";
import { type Claim, narrow, rootClaims } from "./claims.js";
import { DocumentDraft, type Located } from "./document-draft.js";
import type { ExistingDocument } from "./existing.js";
import { FileNames, segment } from "./file-name.js";
import { countsByAttributes, isBlankText, isText } from "./fragment.js";
import { isHollow } from "./silence.js";

/** Folder names of containers that get a folder with one file per child. */
const FOLDERS: ReadonlyMap<string, string> = new Map([
  ["network", "network"],
  ["deviceconfig", "device"],
  ["profiles", "profiles"],
  ["rulebase", "rules"],
  ["pre-rulebase", "pre-rules"],
  ["post-rulebase", "post-rules"],
]);

/** Containers that only hold frames. Their children are placed as if these containers did not exist. */
const TRANSPARENT: ReadonlySet<string> = new Set(["devices", "config"]);

/** File for the leaves of a frame, which are too small for separate files. */
const GENERAL = "general";

/** Decides which document declares each part of a live tree: the existing document, or else one by scope and section. */
export class Distribution {
  readonly #drafts = new Map<string, DocumentDraft>();
  readonly #names = new FileNames();

  constructor(existing: readonly ExistingDocument[]) {
    for (const { file, place } of existing) {
      this.#drafts.set(file, new DocumentDraft(file, place));
      this.#names.path(file.replace(/\.ya?ml$/, ""), place.toString());
    }
  }

  /** Returns the documents in the order of their parts in the tree. Documents without a part are empty. */
  drafts(root: TreeNode, kind: DesiredKind, folder: string, existing: readonly ExistingDocument[]): readonly DocumentDraft[] {
    const path = Path.root.child(root.tag);
    const claims = rootClaims(existing);
    this.#frame({ node: root, path, above: undefined }, kind.shape, folder, { node: root, path, above: undefined }, claims);
    return [...this.#drafts.values()];
  }

  /**
   * Distributes the children of a frame. `place` is the place of their documents: the frame, or the nearest ancestor that is not only a
   * folder.
   */
  #frame(frame: Located, shape: Shape, folder: string, place: Located, claims: readonly Claim[]): void {
    const complete = !isDivisible(frame.node);
    for (const { located, shape: inner, claims: own } of childrenOf(frame, shape, claims)) {
      const { node } = located;
      if (complete) this.#draft(`${folder}/${GENERAL}`, place.path).add(located);
      else if (holdsFrames(node, inner)) this.#frames(located, inner, folder, place, own);
      else if (isFrame(node, inner)) this.#frame(located, inner, `${folder}${folderOf(node)}`, located, own);
      else if (isFolder(node, inner)) {
        const below = `${folder}/${FOLDERS.get(node.tag)}`;
        for (const child of childrenOf(located, inner, own)) {
          this.#unit(child.located, child.shape, place.path, `${below}/${segment(child.located.node.tag)}`, child.claims);
        }
      } else this.#unit(located, inner, place.path, `${folder}/${node.children.length > 0 ? segment(node.tag) : GENERAL}`, own);
    }
  }

  #frames(list: Located, shape: Shape, folder: string, place: Located, claims: readonly Claim[]): void {
    const single = TRANSPARENT.has(list.node.tag) && list.node.children.length === 1;
    for (const child of childrenOf(list, shape, claims)) {
      const { node, path } = child.located;
      if (isHollow(node, child.shape)) this.#bare(child.located, place.path, `${folder}/${segment(list.node.tag)}`, child.claims);
      else {
        const own = single ? folder : `${folder}/${frameFolder(list.node.tag, node.name ?? "")}`;
        this.#frame(child.located, child.shape, single ? own : this.#names.path(own, path.toString()), child.located, child.claims);
      }
    }
  }

  #bare(located: Located, place: Path, file: string, claims: readonly Claim[]): void {
    const claim = claims.find(({ declared }) => declared);
    (claim === undefined ? this.#draft(file, place) : this.#existing(claim)).addBare(located);
  }

  /** Adds a part to one document, unless existing documents divide it. */
  #unit(located: Located, shape: Shape, place: Path, file: string, claims: readonly Claim[]): void {
    const [first] = claims;
    const declaring = claims.find(({ declared }) => declared);
    if (first === undefined) this.#draft(file, place).add(located);
    else if (declaring !== undefined && (claims.length === 1 || isComplete(located.node))) this.#existing(declaring).add(located);
    else if (isComplete(located.node)) this.#draft(file, place).add(located);
    else {
      for (const child of childrenOf(located, shape, claims)) {
        if (child.claims.length > 0 || declaring === undefined) this.#unit(child.located, child.shape, place, file, child.claims);
        else this.#existing(declaring).add(child.located);
      }
    }
  }

  #existing({ document }: Claim): DocumentDraft {
    return this.#draftAt(document.file, document.place);
  }

  #draft(file: string, place: Path): DocumentDraft {
    return this.#draftAt(`${this.#names.path(file, place.toString())}.yaml`, place);
  }

  #draftAt(file: string, place: Path): DocumentDraft {
    let draft = this.#drafts.get(file);
    if (draft === undefined) {
      draft = new DocumentDraft(file, place);
      this.#drafts.set(file, draft);
    }
    return draft;
  }
}

function childrenOf(parent: Located, shape: Shape, claims: readonly Claim[]) {
  return parent.node.children
    .filter((node) => !isBlankText(node))
    .map((node) => {
      const path = node.name === undefined ? parent.path.child(node.tag) : parent.path.entry(node.name, node.tag);
      return {
        located: { node, path, above: parent },
        shape: shape.child(node.tag),
        claims: claims.length === 0 ? claims : narrow(claims, node),
      };
    });
}

/**
 * Returns whether separate documents can declare the children: without text between them, and without duplicate keys, which would be
 * merged.
 */
function isDivisible(node: TreeNode): boolean {
  const keys = new Set(node.children.map(({ tag, name }) => (name === undefined ? tag : `${tag} ${name}`)));
  return isOpen(node) && keys.size === node.children.length && !node.children.some(isText);
}

function isComplete(node: TreeNode): boolean {
  return !isDivisible(node) || countsByAttributes(node);
}

/** Returns whether the entries of a list are scopes, such as devices, virtual systems, device groups and templates. */
function holdsFrames(node: TreeNode, shape: Shape): boolean {
  if (shape.kind !== "list" || node.children.length === 0 || countsByAttributes(node)) return false;
  const entry = shape.child("entry");
  if (!entry.structural || !entry.scope) return false;
  const names = new Set(node.children.map(({ name }) => name));
  return names.size === node.children.length && node.children.every((child) => child.tag === "entry" && isSteppable(child));
}

/** Returns whether documents can be placed below: an element without text, and with a name that fits in `at:`. */
function isSteppable(node: TreeNode): boolean {
  return isOpen(node) ? !countsByAttributes(node) && node.name !== undefined : node.text === "" && node.name !== undefined;
}

/** Returns whether a container holds sections, each with its own file. */
function isFrame(node: TreeNode, shape: Shape): boolean {
  if (shape.kind !== "container" || !isOpen(node) || countsByAttributes(node)) return false;
  return shape.globalScope || shape.scope || (TRANSPARENT.has(node.tag) && shape.emptyIsAbsent);
}

/** Returns whether several documents can each declare a part of the container. */
function isFolder(node: TreeNode, shape: Shape): boolean {
  if (!FOLDERS.has(node.tag) || shape.kind !== "container" || countsByAttributes(node) || !isDivisible(node)) return false;
  return node.children.every(({ tag, name }) => name === undefined && tag !== "member" && tag !== "entry");
}

function isOpen(node: TreeNode): boolean {
  return node.children.some((child) => !isBlankText(child));
}

function folderOf(node: TreeNode): string {
  return TRANSPARENT.has(node.tag) ? "" : `/${segment(node.tag)}`;
}

/** Returns `vsys1` for a virtual system, else `device-group/NAME`. */
function frameFolder(list: string, name: string): string {
  return list === "vsys" && name.startsWith("vsys") ? segment(name) : `${segment(list)}/${segment(name)}`;
}
