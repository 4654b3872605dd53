import { dirname, join } from "node:path";
import type { Edit } from "../../access/edit.js";
import { find } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { readDocumentText } from "../../desired/files.js";
import type { DesiredKind } from "../../desired/kind.js";
import { loadDesired } from "../../desired/load.js";
import type { DesiredNode } from "../../desired/model.js";
import { type TargetContext, today } from "../../engine/pass/context.js";
import type { ExistingDocument } from "../../import/existing.js";
import type { FileEdit } from "../../outcome/access.js";
import type { Change } from "../../plan/diff/change.js";
import { claimsAt, documentsOf, nameByContent } from "../propose/documents.js";
import { Editor } from "../propose/editor.js";
import { NotProposable, refuse } from "../propose/refusal.js";
import { changedText } from "../propose/splice.js";
import { quietly } from "../propose/verify.js";
import { changesOfReplacement, settled, withFormerNames } from "./replaced-rows.js";

/**
 * Writes edits into copies of the documents of a target. Keeps comments, order and style. Returns the reason if an edit is not possible.
 *
 * @param after The complete configuration after the edits.
 */
export async function editDocuments(
  context: TargetContext,
  edits: readonly Edit[],
  after: TreeNode,
): Promise<readonly FileEdit[] | string> {
  const { options, name, configuration, desired } = context;
  const kind = options.source.kinds.get(configuration.kind);
  if (kind === undefined) throw new Error(`kind ${configuration.kind} is known`);
  const folder = dirname(options.source.configurationFile);
  const { filesByTarget } = await loadDesired(options.source.configurationFile, quietly({ ...options.source, today: today(context) }));
  const documents = documentsOf(folder, filesByTarget.get(name) ?? [], kind);
  nameByContent(folder, documents, desired, kind.shape);
  try {
    const wanted = context.settings.design?.document?.replaceAll("{target}", name);
    const preferred = documents.find(({ file }) => file === wanted);
    if (wanted !== undefined && preferred === undefined) return `${wanted}, the document of design:, is no document of ${name}`;
    const combined = settled(edits);
    return write({ documents, folder, kind, edits: combined, after: withFormerNames(after, combined), declared: desired.root, preferred });
  } catch (error) {
    if (error instanceof NotProposable) return error.message;
    throw error;
  }
}

interface Writing {
  readonly documents: readonly ExistingDocument[];
  readonly folder: string;
  readonly kind: DesiredKind;
  readonly edits: readonly Edit[];
  readonly after: TreeNode;
  readonly declared: DesiredNode;
  /** Document for new entries, if it has their list or place. */
  readonly preferred: ExistingDocument | undefined;
}

function write(writing: Writing): FileEdit[] {
  const { documents, folder, kind, after, preferred } = writing;
  const editors: Editor[] = [new Editor(documents, after, kind)];
  const own = preferred && new Editor([preferred], after, kind);
  for (const change of changesOf(writing)) {
    const parent = change.path.parent ?? change.path;
    const isPlace = !claimsAt(documents, parent).some(({ declared }) => declared);
    const home = isPlace && isNewList(change, writing) ? homeOf(documents, parent, preferred) : undefined;
    const isOwn = preferred !== undefined && (home === preferred || isNewEntryOf(change, preferred));
    const editor = isOwn ? own : home === undefined ? editors[0] : new Editor([home], after, kind);
    editor?.accept(change);
    if (editor !== undefined && !editors.includes(editor)) editors.push(editor);
  }
  for (const editor of editors) editor.finish();
  const touched = new Set(editors.flatMap((editor) => [...editor.touched]));
  return documents
    .filter(({ file }) => touched.has(file))
    .map((document) => {
      const before = readDocumentText(join(folder, document.file));
      return { file: document.file, before, after: changedText(before, document) };
    });
}

/** Returns one change for each edited node, then removals. New entries of a list are in their final order, and new lists come first. */
function changesOf(writing: Writing): Change[] {
  const { edits, after, declared, documents } = writing;
  const changes = new Map<string, Change>();
  const removed = new Map<string, Change>();
  const add = (change: Change) => changes.set(change.path.toString(), change);
  const placeIn = (edit: Edit) => (edit.kind === "entry" ? siblingsOf(after, edit.list).indexOf(edit.entry.name ?? "") : 0);
  for (const edit of edits.toSorted((a, b) => placeIn(a) - placeIn(b))) {
    if (edit.kind === "replace") changesOfReplacement(edit, declared).forEach(add);
    else if (edit.kind === "remove") {
      const known = find(declared, edit.at);
      // An earlier edit may have removed it.
      if (known !== undefined) removed.set(edit.at.toString(), { kind: "missing", path: edit.at, after: known });
    } else if (edit.kind === "entry" && claimsAt(documents, edit.list).length === 0) add(newList(edit.list, writing));
    else if (edit.kind === "entry") add(extra(edit.list.entry(edit.entry.name ?? ""), after));
    else {
      const path = edit.kind === "text" ? edit.at : edit.list;
      if (find(after, path) === undefined) continue;
      const known = find(declared, path);
      // A new entry of the same edit already contains the member.
      if (known !== undefined) add({ kind: "differs", path, before: nodeAt(after, path), after: known });
      else if (find(declared, path.parent ?? path) !== undefined) add(extra(path, after));
    }
  }
  return [...changes.values(), ...removed.values()];
}

function extra(path: Path, after: TreeNode): Change {
  return { kind: "extra", path, before: nodeAt(after, path), reason: "closed" };
}

/** Returns the change that adds a list, and containers around it, with only the new entries. Others are not declared. */
function newList(list: Path, { edits, after, documents }: Writing): Change {
  const names = edits.flatMap((edit) => (edit.kind === "entry" && edit.list.equals(list) ? [edit.entry.name ?? ""] : []));
  const entries = names.map((name) => nodeAt(after, list.entry(name)));
  let path = list;
  let before = new TreeNode(list.tag, undefined, "", entries);
  for (let { parent } = path; parent !== undefined && parent.name === undefined; { parent } = path) {
    if (parent.depth < 2 || claimsAt(documents, parent).length > 0) break;
    before = new TreeNode(parent.tag, undefined, "", [before]);
    path = parent;
  }
  return { kind: "extra", path, before, reason: "closed" };
}

function nodeAt(tree: TreeNode, path: Path): TreeNode {
  return find(tree, path) ?? refuse(`${path} does not exist after the edit`);
}

function siblingsOf(tree: TreeNode, list: Path): readonly string[] {
  return (find(tree, list)?.children ?? []).map(({ name = "" }) => name);
}

/** Returns whether a change adds a list that no document has. */
function isNewList({ kind, path }: Change, { edits, documents }: Writing): boolean {
  return (
    kind === "extra" && edits.some((edit) => edit.kind === "entry" && path.contains(edit.list)) && claimsAt(documents, path).length === 0
  );
}

/** Returns whether a change adds an entry to a list that the document has. */
function isNewEntryOf({ kind, path }: Change, document: ExistingDocument): boolean {
  const { parent } = path;
  return kind === "extra" && parent !== undefined && path.name !== undefined && claimsAt([document], parent).length > 0;
}

/** Returns the document for a new list: one that is placed at its parent. */
function homeOf(documents: readonly ExistingDocument[], parent: Path, preferred: ExistingDocument | undefined): ExistingDocument {
  const own = documents.filter(({ place }) => place.equals(parent));
  if (preferred !== undefined && own.includes(preferred)) return preferred;
  const [first] = own.toSorted((a, b) => Number(b.config.has("address")) - Number(a.config.has("address")));
  return first ?? refuse("no document has the scope of the new object");
}
