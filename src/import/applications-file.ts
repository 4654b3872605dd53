import { existsSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { PlumblineError } from "../core/errors.js";
import { readDocumentText } from "../desired/files.js";
import type { RecordedApplications } from "../desired/read-applications.js";
import type { ExistingDocument } from "./existing.js";

const NAME = "applications.yaml";
const KEYS = ["target", "scope", "applications"];

interface Place {
  readonly out: string;
  readonly folder: string;
  readonly targetName: string;
  readonly kind: string;
}

/** Returns whether a document contains only `applications:`. Import rewrites it completely. */
export function isApplicationsFile({ document }: Pick<ExistingDocument, "document">): boolean {
  const keys = Object.keys(document.toJS() as object);
  return keys.includes("applications") && keys.every((key) => KEYS.includes(key));
}

/** Returns the document with the applications of a device. Throws if another document has its name. */
export function applicationsFile(
  { content, read, known }: Omit<RecordedApplications, "node">,
  { out, folder, targetName, kind }: Place,
): { readonly file: string; readonly text: string } {
  const file = `${folder}/${NAME}`;
  const former = existsSync(join(out, file)) ? readDocumentText(join(out, file)) : undefined;
  if (former !== undefined && !/^applications:$/m.test(former))
    throw new PlumblineError("import-existing-document", `${file} is in the output folder and does not contain applications:.`, {
      where: { file },
      next: "Rename it: import writes the applications of the device to this file.",
    });
  const rows = [...known].map(([name, { ports, contains }]) => {
    const value = contains.length > 0 ? { contains: [...contains] } : (ports ?? "no fixed ports");
    return `    ${stringify({ [name]: value }, { collectionStyle: "flow", lineWidth: 0 })
      .trim()
      .slice(1, -1)
      .trim()}`;
  });
  const toRoot = "../".repeat(file.split("/").length - 1);
  const text = [
    `# yaml-language-server: $schema=${toRoot}schemas/${kind}.schema.json`,
    "# Default ports and containers of the device's own applications. plumbline import rewrites this file.",
    `target: ${stringify(targetName).trim()}`,
    "scope: shared",
    "applications:",
    `  content: ${stringify(content).trim()}`,
    `  read: ${read}`,
    "  known:",
    ...rows,
    "",
  ].join("\n");
  return { file, text: isSame(former, text) ? (former ?? text) : text };
}

/** Returns whether only the day of the read differs. The file is then not changed. */
function isSame(former: string | undefined, text: string): boolean {
  const withoutDay = (each: string) => each.replace(/^ {2}read: .*$/m, "");
  return former !== undefined && withoutDay(former) === withoutDay(text);
}
