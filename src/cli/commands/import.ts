import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { joinLines } from "../../core/printable.js";
import { pathOf } from "../../core/tree/lookup.js";
import { mergeDuplicates } from "../../core/tree/merge-duplicates.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { TEXT_TAG } from "../../core/tree/xml/builder.js";
import { parseXmlFile } from "../../core/tree/xml/parse-file.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import { readConfigurationText } from "../../desired/configuration/configuration-text.js";
import { searchRoots } from "../../desired/query-subtrees.js";
import type { ReadTarget } from "../../engine/target.js";
import type { ImportOptions, ImportResult } from "../../import/import-configuration.js";
import { targetEntries } from "../../import/target-entries.js";
import { count } from "../../report/format-counts.js";
import { configurationIn } from "../../targets/panos/configuration-in.js";
import { panosKind } from "../../targets/panos/kind.js";
import { kinds } from "../../targets/registry.js";
import type { Context } from "../context.js";
import { importForEditors } from "../import-for-editors.js";
import { protectByLedger } from "../known-secrets.js";
import type { GlobalOptions, PlainFormat } from "../options.js";
import { readOnly } from "../reader.js";
import { show } from "../show.js";
import { openSession } from "../terminal.js";
import { wholePath } from "../whole-path.js";

interface Flags extends GlobalOptions, PlainFormat {
  readonly xml?: string;
  readonly out: string;
  readonly path?: string;
}

/** Writes the desired state of a file or a target. Returns the exit code. */
export async function importCommand(flags: Flags, context: Context, name: string | undefined): Promise<number> {
  if ((name === undefined) === (flags.xml === undefined)) {
    throw new PlumblineError("option-invalid", "import needs exactly one source.", {
      next: "Name a target of plumbline.yaml, or use --xml FILE.",
    });
  }
  return name === undefined ? await fromFile(flags, context) : await fromTarget(name, flags, context);
}

async function fromFile(flags: Flags, context: Context): Promise<number> {
  const xml = await readExported(resolve(context.folder, flags.xml ?? ""), context);
  const result = importForEditors({ xml, kind: panosKind, out: resolve(context.folder, flags.out), only: onlyOf(flags) });
  const isNeeded = flags.path === undefined && !result.hasApplications && (await usesApplicationsOfDevice(xml));
  print(result, flags, context, isNeeded ? [APPLICATIONS_MISSING] : []);
  return 0;
}

const APPLICATIONS_MISSING =
  "  applications.yaml is missing: rules use default ports that only the device knows. `plumbline import TARGET` writes it.";

async function usesApplicationsOfDevice(xml: TreeNode): Promise<boolean> {
  const reader = await kinds.get(panosKind.kind)?.policies?.load();
  return (reader?.predefinedNames?.([xml], []) ?? []).length > 0;
}

/** Returns the configuration of an exported file. @throws PlumblineError `import-…` if the file has no configuration */
export async function readExported(file: string, context: Context): Promise<TreeNode> {
  const { root: xml, duplicates } = mergeDuplicates(exported(parseXmlFile(file, await bytesOf(file)), file));
  refuseMixed(xml, file);
  warnOfDuplicates(duplicates, context);
  return xml;
}

async function fromTarget(name: string, flags: Flags, context: Context): Promise<number> {
  return await readOnly(flags, context, [name], async (target, configuration, all) => {
    const kind = kinds.get(target.kind);
    if (kind === undefined) return;
    await target.open();
    await protectByLedger(target, all, flags, context);
    const xml = await target.read(searchRoots(target.shape, kind.rootTag), "running");
    const entries = kind.strict === true ? targetEntries(await readConfigurationText(all.file), name) : undefined;
    const options = {
      xml,
      kind,
      targetName: name,
      out: resolve(context.folder, flags.out),
      url: configuration.url,
      owner: all.owner,
      entries,
      only: onlyOf(flags),
    };
    const applications = flags.path === undefined ? await applicationsOf(target, configuration, xml, context) : undefined;
    print(importForEditors({ ...options, applications }), flags, context);
  });
}

/** Reads the applications that rules use from the device. Undefined for kinds without them. */
async function applicationsOf(
  target: ReadTarget,
  { kind }: TargetConfiguration,
  xml: TreeNode,
  context: Context,
): Promise<ImportOptions["applications"]> {
  const role = kinds.get(kind)?.policies;
  if (role === undefined || target.resolver === undefined) return undefined;
  const { recordApplications } = await import("../../reachability/predefined.js");
  return await recordApplications(await role.load(), xml, target, context.now());
}

const onlyOf = ({ path }: Flags) => (path === undefined ? undefined : wholePath(path));

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new PlumblineError("import-unreadable", "The file cannot be read.", {
      where: { file },
      next: "Check the name and its rights.",
      cause,
    });
  }
}

function exported(root: TreeNode, file: string): TreeNode {
  const found = configurationIn(root);
  if (found !== undefined) return found;
  throw new PlumblineError("import-not-a-configuration", `The root element is <${root.tag}>, not <config>.`, {
    where: { file },
    next: "Export the complete configuration of the device (`show config running` or a saved snapshot).",
  });
}

/** Refuses text next to elements. No device has it: such a file is a template that was not filled in. */
function refuseMixed(root: TreeNode, file: string): void {
  const place = mixedPlace(root, Path.root.child(root.tag));
  if (place === undefined) return;
  throw new PlumblineError("import-not-a-configuration", `${place} contains both text and elements. No device has this.`, {
    where: { file, xpath: place.toString() },
    next: "If the file is a template, fill it in first. Otherwise export the configuration again.",
  });
}

function mixedPlace(node: TreeNode, path: Path): Path | undefined {
  if (node.children.some(({ tag }) => tag === TEXT_TAG)) return path;
  for (const child of node.children) {
    const found = child.children.length === 0 ? undefined : mixedPlace(child, pathOf(path, child));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Warns about duplicate entries. A manually assembled file may have them; a device never does. */
function warnOfDuplicates(duplicates: readonly Path[], context: Context): void {
  if (duplicates.length === 0) return;
  context.stderr.write(`warning: duplicate entries were merged, as on a device: ${firstThree(duplicates)}\n`);
}

function print(result: ImportResult, flags: Flags, context: Context, hints: readonly string[] = []): void {
  const { paint } = openSession(flags, context);
  const out = relative(context.folder, resolve(context.folder, result.root)) || ".";
  const lines = [
    `${paint("bold", out)}  ${count(result.nodes, "node")} in ${count(result.written.length, "file")}${result.xmlNodes === 0 ? "" : `, ${result.xmlNodes} as $xml`}`,
    ...result.written.map((file) => `  ${paint("green", "+")} ${file}`),
    ...result.removed.map((file) => `  ${paint("red", "-")} ${file}`),
    ...(result.left === 0
      ? []
      : [`  ${count(result.left, "entry", "entries")} omitted: they belong to other owners or the platform, or their names are too long`]),
    ...readOnlyLine(result),
    ...hints,
    `  next: plumbline plan --config ${out}/plumbline.yaml`,
  ];
  const { nodes, xmlNodes, written, removed, left } = result;
  const readOnly = { paths: result.readOnly.paths.map(String), leaves: result.readOnly.leaves };
  show(
    flags,
    context,
    () => ({ folder: out, nodes, xmlNodes, written, removed, left, readOnly }),
    () => joinLines(lines),
  );
}

function readOnlyLine({ readOnly: { paths, leaves } }: ImportResult): string[] {
  if (paths.length === 0) return [];
  return [`  ${count(leaves, "leaf", "leaves")} omitted, which only the device writes: ${firstThree(paths)}`];
}

function firstThree(paths: readonly Path[]): string {
  return paths.slice(0, 3).join(", ") + (paths.length > 3 ? ` and ${paths.length - 3} more` : "");
}
