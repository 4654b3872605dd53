import { existsSync } from "node:fs";
import { join } from "node:path";
import { PlumblineError } from "../core/errors.js";
import { readDocumentText } from "../desired/files.js";
import { isAmong } from "./document-folders.js";
import type { TargetEntries } from "./target-entries.js";
import { text as textValue, type Value } from "./value.js";
import { type Document, isMap, isScalar, isSeq, parseYaml, toItem, toPair, writeYaml } from "./yaml.js";
import { valueAt } from "./yaml-entries.js";

export const CONFIGURATION_FILE = "plumbline.yaml";

const MODE_COMMENT = " read-only: `plan` shows changes, nothing writes them; set `enforce` to let `reconcile` and the agent write";

export interface ConfigurationFile {
  readonly targetName: string;
  readonly kind: string;
  readonly url: string;
  /** Folder of the documents. */
  readonly folder: string;
  readonly owner?: string | undefined;
  /** Certificate authority, relative to `plumbline.yaml`. */
  readonly ca?: string | undefined;
  /** Entries of the target. They replace those from kind and address. */
  readonly entries?: TargetEntries | undefined;
}

/** Returns the text of `plumbline.yaml` in `out` with the target added. Undefined if it already contains the target. */
export function configurationText(out: string, options: ConfigurationFile): string | undefined {
  const path = join(out, CONFIGURATION_FILE);
  return existsSync(path) ? added(readDocumentText(path), options) : fresh(options);
}

/** Returns the target part of its environment variables: `PLUMBLINE_TARGET_<NAME>_…`. */
function environmentName(target: string): string {
  return target.toUpperCase().replace(/[^A-Z0-9]/g, "_");
}

function fresh(options: ConfigurationFile): string {
  const { targetName, kind, folder, ca } = options;
  const name = environmentName(targetName);
  const document = parseYaml("targets: {}\n");
  addTarget(document, options);
  const target = writeYaml(document).replace(/^targets:\n/, "");
  if (options.entries !== undefined) return plainStart(options, target);
  return `# yaml-language-server: $schema=schemas/plumbline.schema.json
# Created by plumbline import. Edit it as you like: a later import keeps your changes.
format: 1
owner: netops # name of your team; it marks the objects that this repository manages
documents: [${flowText(folder)}]
targets:
${target.trimEnd()}
${
  ca === undefined
    ? `    # Certificate authority, if this machine does not trust the certificate of the target
    # (or set PLUMBLINE_TARGET_${name}_CA):
    # tls: { ca: certs/${kind}-ca.pem }
`
    : ""
}    # Identity of the device. Plumbline refuses to write to any other device:
    # identity: { serial: "0123456789", model: PA-VM }
    # PLUMBLINE_TARGET_${name}_URL, _USER, _PASSWORD, _KEY, _CA and _PIN override these values.
guards: { updates: 30%, deletes: 30%, from: 10, emptyList: refuse }
`;
}

function plainStart({ owner, folder }: ConfigurationFile, targets: string): string {
  return `# yaml-language-server: $schema=schemas/plumbline.schema.json
# Created by plumbline import. Edit it as you like: a later import keeps your changes.
format: 1
owner: ${JSON.stringify(owner ?? "netops")}
documents: [${flowText(folder)}]
targets:
${targets.trimEnd()}
guards: { updates: 30%, deletes: 30%, from: 10, emptyList: refuse }
`;
}

/** Returns a folder name as flow text. Import uses only safe characters in it. */
function flowText(folder: string): string {
  return /^[A-Za-z_]/.test(folder) ? folder : JSON.stringify(folder);
}

function added(source: string, options: ConfigurationFile): string | undefined {
  const document = parseYaml(source);
  const root: unknown = document.contents;
  const targets = isMap(root) ? valueAt(root, "targets") : undefined;
  if (document.errors.length > 0 || !isMap(root) || !isMap(targets)) {
    throw new PlumblineError("import-existing-document", `${CONFIGURATION_FILE} in the output folder has no readable "targets:".`, {
      where: { file: CONFIGURATION_FILE, line: document.errors[0]?.linePos?.[0].line, column: document.errors[0]?.linePos?.[0].col },
      next: "Correct the file, or import into an empty folder.",
    });
  }
  const known = valueAt(targets, options.targetName) !== undefined;
  if (!known) addTarget(document, options);
  const folders = valueAt(root, "documents");
  const listed = isSeq(folders) && folders.items.some((item) => isScalar(item) && holds(item.value, options.folder));
  if (isSeq(folders) && !listed) folders.items.push(toItem(textValue(options.folder), 0));
  return known && listed ? undefined : writeYaml(document);
}

function holds(listed: unknown, folder: string): boolean {
  return typeof listed === "string" && isAmong(folder, [listed]);
}

function addTarget(document: Document, { targetName, kind, url, ca, entries }: ConfigurationFile): void {
  const targets = isMap(document.contents) ? valueAt(document.contents, "targets") : undefined;
  if (!isMap(targets)) return;
  if (entries !== undefined) {
    targets.flow = false;
    for (const [name, entry] of entries) if (valueAt(targets, name) === undefined) targets.items.push(toPair(name, toValue(entry), 2));
    return;
  }
  const credentials = mapping([
    ["username", textValue("${env:PLUMBLINE_USER}")],
    ["password", textValue("${env:PLUMBLINE_PASSWORD}")],
  ]);
  const target: Value = {
    kind: "mapping",
    of: "children",
    inline: false,
    pairs: [
      ["kind", textValue(kind)],
      ["url", textValue(url)],
      ["credentials", credentials],
      ...(ca === undefined ? [] : [["tls", mapping([["ca", textValue(ca)]])] as const]),
      ["mode", textValue("observe")],
    ],
  };
  targets.flow = false;
  const pair = toPair(targetName, target, 2);
  const mode = isMap(pair.value) ? pair.value.get("mode", true) : undefined;
  if (mode !== undefined) mode.comment = MODE_COMMENT;
  targets.items.push(pair);
}

/** Converts plain YAML to the values that import writes. */
function toValue(plain: unknown): Value {
  if (Array.isArray(plain)) return { kind: "sequence", of: "members", ordered: true, items: plain.map(toValue) };
  if (typeof plain !== "object" || plain === null) return textValue(String(plain));
  return mapping(Object.entries(plain).map(([key, value]) => [key, toValue(value)] as const));
}

function mapping(pairs: readonly (readonly [string, Value])[]): Value {
  return { kind: "mapping", of: "children", inline: true, pairs };
}
