import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMap, isScalar } from "yaml";
import { PlumblineError } from "../core/errors.js";
import { sizeOf } from "../core/tree/canonical.js";
import { childAt, find, pathOf, shapeAt } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import { isRulebase, type Shape } from "../core/tree/shape.js";
import { protectSecrets } from "../core/tree/stored-secrets.js";
import { refusedNodes } from "../desired/field-faults.js";
import { readDocumentText } from "../desired/files.js";
import { ownedPath } from "../desired/header.js";
import type { DesiredKind } from "../desired/kind.js";
import type { RecordedApplications } from "../desired/read-applications.js";
import { applicationsFile, isApplicationsFile } from "./applications-file.js";
import { CONFIGURATION_FILE, configurationText } from "./configuration-file.js";
import { declarablePart } from "./declarable.js";
import { Distribution } from "./distribute.js";
import { documentText, type Owns } from "./document.js";
import { DocumentDraft } from "./document-draft.js";
import { Encoder } from "./encode.js";
import { type ExistingDocument, readExisting } from "./existing.js";
import { localPart, type ReadOnlyParts, readOnlyParts, withoutReadOnly } from "./local.js";
import { projectFor } from "./project.js";
import type { TargetEntries } from "./target-entries.js";
import { Updater } from "./update.js";
import { EMPTY, type Mapping, mapping, text, type Value } from "./value.js";
import { writeYaml } from "./yaml.js";

export interface ImportOptions {
  /** Root element of a live configuration. Its secrets are protected in place first. */
  readonly xml: TreeNode;
  readonly kind: DesiredKind;
  /** Output folder, which is created if it is missing. If it is in a documents folder of a project, the files are added to that project. */
  readonly out: string;
  /** The default is `firewall`. */
  readonly targetName?: string | undefined;
  /** Owner, for kinds with ownership marks. Entries of other owners are omitted. */
  readonly owner?: string | undefined;
  /** Certificate authority of the target, relative to `plumbline.yaml`. */
  readonly ca?: string | undefined;
  /** Limits the import to this subtree. The output must not have documents of the target, because an import replaces them. */
  readonly only?: Path | undefined;
  /** Applications of the device, which are written into a document of their own. */
  readonly applications?: Omit<RecordedApplications, "node"> | undefined;
  /** Entries of `plumbline.yaml`. They replace the entry from `url`, for kinds that need more than an address. */
  readonly entries?: TargetEntries | undefined;
  /** The default is `https://127.0.0.1:8443`, the address of `plumbline lab --from`. */
  readonly url?: string | undefined;
}

export interface ImportResult {
  /** Folder of `plumbline.yaml`. */
  readonly root: string;
  /** Changed and new files, relative to `root`, in the order of the tree. Deleted files are in `removed`. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** Number of imported nodes, without inherited and system ones. */
  readonly nodes: number;
  /** Number of imported nodes that only `$xml` can express. */
  readonly xmlNodes: number;
  /** Number of omitted entries: those of other owners, and those with names that documents do not permit. */
  readonly left: number;
  /** Omitted parts that only the device writes. Empty for kinds whose objects have read-only fields everywhere. */
  readonly readOnly: ReadOnlyParts;
  /** Whether a document of its own contains applications of the device. */
  readonly hasApplications: boolean;
}

/**
 * Writes a live configuration as readable desired state: documents by scope and section, and a `plumbline.yaml` that is ready to plan.
 * Existing files keep their comments, order and grouping. Nothing is written if an existing file cannot be parsed
 * (`import-existing-document`).
 */
export function importConfiguration(options: ImportOptions): ImportResult {
  const { kind } = options;
  const targetName = options.targetName ?? "firewall";
  const { root: out, folder } = projectFor(options.out, targetName, kind);
  const xml = protectSecrets(options.only === undefined ? options.xml : limitTo(options.xml, options.only), kind.shape);
  // A list of which only a part is imported must not be exclusive: the other entries would be deleted.
  const isComplete = (list: Path): boolean => options.only?.contains(list) !== false;
  const exclusive = (kind.exclusiveLists?.(xml) ?? []).filter(isComplete);
  const complete = new Set(exclusive.flatMap((list) => find(xml, list) ?? []));
  const own = localPart(xml, kind.shape, complete) ?? new TreeNode(kind.rootTag);
  const readOnly = kind.strict === true ? NOTHING_OMITTED : readOnlyParts(own, kind.shape, Path.root.child(own.tag));
  const local = withoutReadOnly(own, kind.shape);
  const {
    tree: live,
    unmarked,
    left,
  } = kind.strict === true ? declarablePart(local, kind, options.owner, complete) : { tree: local, unmarked: undefined, left: 0 };
  const former = readExisting(out, folder, targetName, kind);
  const existing = former.filter((each) => !isApplicationsFile(each));
  if (options.only !== undefined && existing[0] !== undefined) throw partOfExisting(existing[0].file);
  const configuration = configurationText(out, {
    targetName,
    kind: kind.kind,
    url: options.url ?? "https://127.0.0.1:8443",
    folder,
    owner: options.owner,
    ca: options.ca,
    entries: options.entries,
  });
  const drafts = new Distribution(existing).drafts(live, kind, folder, existing);
  const refused = kind.fields === undefined ? undefined : refusedNodes(live, kind.fields());
  const encoder = new Encoder({ unmarked, refused, complete });
  const parts = drafts.map((draft) => fileOf(draft, { live: local, exclusive, isComplete }, encoder, kind, targetName, existing));
  const files = parts.every(({ content }) => content === "gone") ? orNothing(parts, nothing(folder, kind, targetName, existing)) : parts;

  for (const { file, content } of files) if (content !== "gone" && content !== "unchanged") refuseOtherDocuments(out, file, existing);
  mkdirSync(join(out, folder), { recursive: true });
  const written: string[] = [];
  const removed: string[] = [];
  if (configuration !== undefined) write(out, CONFIGURATION_FILE, configuration, written);
  if (options.applications !== undefined) {
    const { file, text } = applicationsFile(options.applications, { out, folder, targetName, kind: kind.kind });
    write(out, file, text, written);
  }
  for (const { file, content } of files) {
    if (content === "unchanged") continue;
    if (content !== "gone") write(out, file, content.text, written);
    else if (existsSync(join(out, file))) {
      rmSync(join(out, file));
      removed.push(file);
    }
  }
  return {
    root: out,
    written,
    removed,
    nodes: drafts.reduce((sum, { root }) => sum + sizeOf(root) - 1, 0),
    xmlNodes: encoder.fallbacks.nodes,
    left,
    readOnly,
    hasApplications: options.applications !== undefined || existing.length < former.length,
  };
}

const NOTHING_OMITTED: ReadOnlyParts = { paths: [], leaves: 0 };

/** Returns the root with only the nodes on the path and below it. */
function limitTo(root: TreeNode, only: Path): TreeNode {
  const limited = (node: TreeNode, at: Path): TreeNode => {
    if (only.contains(at)) return node;
    const children = node.children
      .map((child) => ({ child, path: pathOf(at, child) }))
      .filter(({ path }) => path.contains(only) || only.contains(path))
      .map(({ child, path }) => limited(child, path));
    return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
  };
  return limited(root, Path.root.child(root.tag));
}

function partOfExisting(file: string): PlumblineError {
  return new PlumblineError("import-existing-document", "A part of the configuration cannot be imported over existing documents.", {
    where: { file },
    next: "Import with --path into an empty folder, or import the complete configuration.",
  });
}

const EMPTIABLE = { exclusive: true, allowEmpty: true };
const OWNS_EMPTY: Value = mapping(
  [
    ["exclusive", text("true")],
    ["allowEmpty", text("true")],
  ],
  true,
);

type Content = "unchanged" | "gone" | { readonly text: string };

function fileOf(
  draft: DocumentDraft,
  source: { readonly live: TreeNode; readonly exclusive: readonly Path[]; readonly isComplete: (list: Path) => boolean },
  encoder: Encoder,
  kind: DesiredKind,
  targetName: string,
  existing: readonly ExistingDocument[],
): File {
  const config = encoder.body(draft.root, shapeAt(draft.place, kind.shape), 0);
  const known = existing.find(({ file }) => file === draft.file);
  const relative = (list: Path) => list.toString().slice(draft.place.toString().length + 1);
  const lists = source.exclusive.filter((list) => isIn(draft, list));
  const isEmpty = (list: Path) => find(source.live, list)?.children.length === 0;
  const owns = new Map(lists.map((list) => [relative(list), isEmpty(list) ? OWNS_EMPTY : text("exclusive")]));
  if (known !== undefined) return { file: draft.file, content: updated(known, config, owns, draft) };
  for (const list of completeRulebases(draft, source.live, kind.shape).filter(source.isComplete))
    owns.set(relative(list), text("exclusive"));
  return { file: draft.file, content: fresh(draft, config, kind, targetName, owns) };
}

/** Finds the rulebases of which the draft has every rule. Import writes them as exclusive, because rules decide traffic together. */
function completeRulebases({ root, place }: DocumentDraft, live: TreeNode, shape: Shape): Path[] {
  const found: Path[] = [];
  const visit = (node: TreeNode, path: Path, at: Shape): void => {
    if (isRulebase(at)) {
      const rules = node.children.filter(({ name }) => name !== undefined);
      if (rules.length > 0 && rules.length === find(live, path)?.children.filter(({ name }) => name !== undefined).length) found.push(path);
    } else for (const child of node.children) visit(child, pathOf(path, child), at.child(child.tag));
  };
  visit(root, place, shapeAt(place, shape));
  return found;
}

function isIn({ place, root }: DocumentDraft, list: Path): boolean {
  if (list.equals(place)) return root.children.length > 0;
  if (!place.contains(list)) return false;
  const steps = list.steps().slice(place.depth);
  return steps.reduce<TreeNode | undefined>((node, step) => node && childAt(node, step), root) !== undefined;
}

interface File {
  readonly file: string;
  readonly content: Content;
}

function orNothing(removals: readonly File[], nothing: File): File[] {
  return [...removals.filter(({ file }) => file !== nothing.file), nothing];
}

/** Returns the document of a target without configuration. A desired state needs at least one. */
function nothing(folder: string, kind: DesiredKind, targetName: string, existing: readonly ExistingDocument[]): File {
  const root = Path.root.child(kind.rootTag);
  const draft = new DocumentDraft(existing.find(({ place }) => place.equals(root))?.file ?? `${folder}/general.yaml`, root);
  return { file: draft.file, content: { text: fileText(draft, EMPTY, kind, targetName) } };
}

function fresh(draft: DocumentDraft, config: Mapping, kind: DesiredKind, targetName: string, owns: Owns): Content {
  return config.pairs.length === 0 ? "gone" : { text: fileText(draft, config, kind, targetName, owns) };
}

function fileText(draft: DocumentDraft, config: Mapping, kind: DesiredKind, targetName: string, owns: Owns = new Map()): string {
  const toRoot = "../".repeat(draft.file.split("/").length - 1);
  return documentText(
    targetName,
    draft.place,
    config,
    kind,
    `yaml-language-server: $schema=${toRoot}schemas/${kind.kind}.schema.json`,
    owns,
  );
}

function updated(known: ExistingDocument, config: Mapping, owns: Owns, draft: DocumentDraft): Content {
  const isWithout = withoutEmptyLists(known, draft);
  const root = known.document.contents;
  const only = known.document.get("ignore") === undefined && known.document.get("owns") === undefined;
  if (config.pairs.length === 0 && only && root !== null) return "gone";
  const updater = new Updater();
  updater.mapping(known.config, config, 2);
  const added = [...owns].filter(([list, value]) => !permits(known.document.getIn(["owns", list]), value));
  for (const [list, value] of added) known.document.setIn(["owns", list], value.kind === "text" ? value.text : { ...EMPTIABLE });
  return updater.changed || added.length > 0 || isWithout ? { text: writeYaml(known.document) } : "unchanged";
}

/** Returns whether an existing value of `owns:` covers a new one. */
function permits(existing: unknown, value: Value): boolean {
  return existing !== undefined && (value.kind === "text" || isMap(existing));
}

/**
 * Removes the lines of `owns:` for lists that the document no longer declares, because they are errors. Returns whether it has removed any.
 */
function withoutEmptyLists({ document, place }: ExistingDocument, draft: DocumentDraft): boolean {
  const owns = document.get("owns");
  if (!isMap(owns)) return false;
  // A list with { exclusive: true, allowEmpty: true } may be empty.
  const lines = owns.items.filter(({ value }) => isScalar(value));
  const texts = lines.map(({ key }) => String(isScalar(key) ? key.value : key));
  const empty = texts.filter((text) => !isIn(draft, ownedPath(text, place)));
  for (const text of empty) document.deleteIn(["owns", text]);
  if (owns.items.length === 0) document.delete("owns");
  return empty.length > 0;
}

/** Refuses to overwrite a file that is not a document of this target. */
function refuseOtherDocuments(out: string, file: string, existing: readonly ExistingDocument[]): void {
  if (!existsSync(join(out, file)) || existing.some((known) => known.file === file)) return;
  throw new PlumblineError("import-existing-document", `${file} is in the output folder and is not a document of this target.`, {
    where: { file },
    next: "Move it, or import into another folder.",
  });
}

function write(out: string, file: string, content: string, written: string[]): void {
  const path = join(out, file);
  if (existsSync(path) && readDocumentText(path) === content) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  written.push(file);
}
