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

/** Output of an import: the folder of `plumbline.yaml`, and the folder of the target's documents relative to it. */
export interface Project {
  readonly root: string;
  readonly folder: string;
}

/**
 * Returns the project of `out`. If `out` is in a documents folder of a project above it, that project is used, because a second
 * `plumbline.yaml` there would not be a document. Documents go to a folder with the name of the target, unless `out` is that folder or
 * already contains documents of the target.
 */
export function projectFor(out: string, targetName: string, kind: DesiredKind): Project {
  const own = segment(targetName);
  const root = existsSync(join(out, CONFIGURATION_FILE)) ? undefined : rootAbove(resolve(out));
  if (root === undefined) return { root: out, folder: own };
  const inside = relative(root, resolve(out)).split(sep).join("/");
  const isOwn = inside.split("/").at(-1) === own || readExisting(root, inside, targetName, kind).length > 0;
  return { root, folder: isOwn ? inside : `${inside}/${own}` };
}

/** Returns the folders in `documents:` of a `plumbline.yaml`, if it can be parsed. */
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
