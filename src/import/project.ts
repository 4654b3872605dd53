import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { readDocumentText } from "../desired/files.js";
import type { DesiredKind } from "../desired/kind.js";
import { CONFIGURATION_FILE } from "./configuration-file.js";
import { isAmong } from "./document-folders.js";
import { readExisting } from "./existing.js";
import { segment } from "./file-name.js";
import { isMap, isScalar, isSeq, parseYaml } from "./yaml.js";
import { valueAt } from "./yaml-entries.js";

/** Where an import writes: the folder of `plumbline.yaml`, and from there the folder of the target's documents. */
export interface Project {
  readonly root: string;
  readonly folder: string;
}

/**
 * The project that `out` stands for: its own, but where it lies in a documents folder of a project above it, that one. A
 * second `plumbline.yaml` among the documents of the first would be none of them. Documents go into a folder of the target's
 * name, but where `out` is that folder, or holds documents of the target by itself.
 */
export function projectFor(out: string, targetName: string, kind: DesiredKind): Project {
  const own = segment(targetName);
  const root = existsSync(join(out, CONFIGURATION_FILE)) ? undefined : rootAbove(resolve(out));
  if (root === undefined) return { root: out, folder: own };
  const inside = relative(root, resolve(out)).split(sep).join("/");
  const isOwn = inside.split("/").at(-1) === own || readExisting(root, inside, targetName, kind).length > 0;
  return { root, folder: isOwn ? inside : `${inside}/${own}` };
}

/** The folders that `documents:` of a `plumbline.yaml` lists, as far as they can be read. */
function documentFolders(source: string): readonly string[] {
  const root: unknown = parseYaml(source).contents;
  const listed = isMap(root) ? valueAt(root, "documents") : undefined;
  if (!isSeq(listed)) return [];
  return listed.items.flatMap((item) => (isScalar(item) && typeof item.value === "string" ? [item.value] : []));
}

function rootAbove(out: string): string | undefined {
  for (let root = dirname(out); ; root = dirname(root)) {
    const file = join(root, CONFIGURATION_FILE);
    if (existsSync(file))
      return isAmong(relative(root, out).split(sep).join("/"), documentFolders(readDocumentText(file))) ? root : undefined;
    if (root === dirname(root)) return undefined;
  }
}
