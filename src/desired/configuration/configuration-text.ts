import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { type Document, isCollection, isPair, isScalar } from "yaml";
import { PlumblineError, PlumblineErrors } from "../../core/errors.js";
import { isInsideFolder } from "../../core/inside-folder.js";
import { FileRefused, readRegularFile } from "../../core/regular-file.js";
import { lfsPointerIn } from "../lfs-pointer.js";

/** Maximum size of `plumbline.yaml`. A file with 5,000 targets has 2 MB. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Reads the text of `plumbline.yaml`. The file may be a link, but only to a file in the same folder, like the files that Kubernetes mounts.
 *
 * @throws PlumblineErrors `configuration-not-found`, `file-leaves-repository`, `lfs-pointer`
 */
export async function readConfigurationText(file: string): Promise<string> {
  try {
    const real = await realpath(file);
    if (!isInsideFolder(await realpath(dirname(file)), real)) throw leaves(file);
    const bytes = await readRegularFile(real, MOST_BYTES);
    const pointer = lfsPointerIn(bytes, file);
    if (pointer !== undefined) throw pointer;
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof PlumblineError) throw new PlumblineErrors([cause]);
    throw new PlumblineErrors([
      new PlumblineError("configuration-not-found", `The configuration file ${whyOf(cause)}.`, {
        where: { file },
        next: "Name it with --config or PLUMBLINE_CONFIG, or run in the folder of plumbline.yaml.",
      }),
    ]);
  }
}

function whyOf(cause: unknown): string {
  if (cause instanceof FileRefused) return cause.message;
  return (cause as { code?: unknown }).code === "ENOENT" ? "does not exist" : "cannot be read as text";
}

function leaves(file: string): PlumblineError {
  return new PlumblineError("file-leaves-repository", "The configuration file is a link that leads out of its folder, or into .git.", {
    where: { file },
    next: "Put the file itself there.",
  });
}

/**
 * Returns the offsets of duplicate map keys in the text. Finds the same keys as the option `uniqueKeys` of `yaml`, which compares each key
 * with all keys before it. For documents that were parsed from `text` without that option.
 */
export function duplicateKeys(document: Document, text: string): readonly number[] {
  const found: number[] = [];
  collect(document.contents, found);
  // The range of an empty key begins before the space in front of its colon.
  return found.map((offset) => offset + Math.max(0, text.slice(offset, offset + 100).search(/\S/)));
}

function collect(node: unknown, found: number[]): void {
  if (!isCollection(node)) return;
  const seen = new Set<unknown>();
  for (const item of node.items) {
    if (!isPair(item)) {
      collect(item, found);
      continue;
    }
    const { key, value } = item;
    collect(key, found);
    collect(value, found);
    // `.nan` does not equal another `.nan`, as with the option.
    if (!isScalar(key) || Number.isNaN(key.value)) continue;
    if (seen.has(key.value)) found.push(key.range?.[0] ?? 0);
    seen.add(key.value);
  }
}
