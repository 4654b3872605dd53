import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PlumblineError } from "../core/errors.js";
import type { Path } from "../core/tree/path.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import { readDocumentText } from "../desired/files.js";
import type { DesiredKind } from "../desired/kind.js";
import { type Document, isMap, isScalar, parseYaml, YAMLMap } from "./yaml.js";
import { valueAt } from "./yaml-entries.js";

/** Document of the imported target in the output folder. */
export interface ExistingDocument {
  /** Relative to the output folder, with forward slashes. */
  readonly file: string;
  readonly document: Document;
  readonly place: Path;
  readonly config: YAMLMap;
}

/** Reads the documents of the target. Throws `import-existing-document` for a file that cannot be changed safely. */
export function readExisting(out: string, folder: string, target: string, kind: DesiredKind): ExistingDocument[] {
  const found: ExistingDocument[] = [];
  for (const file of yamlFiles(out, folder)) {
    const document = parseYaml(readDocumentText(join(out, file)));
    const problem = document.errors[0];
    if (problem !== undefined) throw cannotChange(file, problem.message.split("\n", 1)[0] ?? "", problem.linePos?.[0]);
    const root: unknown = document.contents;
    if (!isMap(root) || textAt(root, "target") !== target) continue;
    const scope = textAt(root, "scope");
    const at = textAt(root, "at");
    const place = scope === undefined ? (at === undefined ? undefined : parsePath(at)) : kind.place(scope);
    if (place === undefined) throw cannotChange(file, "it has no known place (scope: or at:)", undefined);
    const config = valueAt(root, "config");
    found.push({ file, document, place, config: isMap(config) ? config : new YAMLMap() });
  }
  return found;
}

function yamlFiles(out: string, folder: string): string[] {
  let entries: ReturnType<typeof listFolder>;
  try {
    entries = listFolder(join(out, folder));
  } catch (cause) {
    if ((cause as { code?: string }).code === "ENOENT") return [];
    throw cause;
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return yamlFiles(out, path);
    return entry.isFile() && /\.ya?ml$/.test(entry.name) ? [path] : [];
  });
}

function listFolder(path: string) {
  return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function textAt(map: YAMLMap, key: string): string | undefined {
  const value = valueAt(map, key);
  return isScalar(value) && typeof value.value === "string" ? value.value : undefined;
}

function cannotChange(file: string, why: string, at: { line: number; col: number } | undefined): PlumblineError {
  return new PlumblineError("import-existing-document", `${file} is in the output folder and cannot be updated: ${why}.`, {
    where: { file, line: at?.line, column: at?.col },
    next: "Correct the file, or import into an empty folder.",
  });
}
