import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { type Document, isCollection, isPair, isScalar } from "yaml";
import { PlumblineError, PlumblineErrors } from "../../core/errors.js";
import { isInsideFolder } from "../../core/inside-folder.js";
import { FileRefused, readRegularFile } from "../../core/regular-file.js";
import { lfsPointerIn } from "../lfs-pointer.js";

/** Of `plumbline.yaml`; one with 5,000 targets has 2 MB. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The text of `plumbline.yaml`. A commit may make it a link: what it leads to must lie in the same folder, as the files do
 * that Kubernetes mounts.
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
        next: "Name it with --config or PLUMBLINE_CONFIG, or run where plumbline.yaml lies.",
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
 * Where a key of a map stands for the second time, as offsets into the text: what the option `uniqueKeys` of `yaml` finds, which
 * compares each key with all before it. For documents that were parsed from `text` without that option.
 */
export function duplicateKeys(document: Document, text: string): readonly number[] {
  const found: number[] = [];
  collect(document.contents, found);
  // An empty key begins before the space in front of its colon.
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
    // `.nan` is no other `.nan`, as for the option.
    if (!isScalar(key) || Number.isNaN(key.value)) continue;
    if (seen.has(key.value)) found.push(key.range?.[0] ?? 0);
    seen.add(key.value);
  }
}
