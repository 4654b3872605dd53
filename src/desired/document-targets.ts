import { fleetOf } from "./configuration/fleet.js";
import type { ConfigurationFile } from "./configuration/read.js";
import { HeaderReader } from "./header-reader.js";
import { readChosen } from "./header-targets.js";
import { Problems } from "./problems.js";
import type { SourceFile } from "./source-file.js";
import { readYaml } from "./yaml/read.js";

/** Returns the targets of a document, or undefined if its header cannot be read. */
export function documentTargets(file: SourceFile, configuration: ConfigurationFile): readonly string[] | undefined {
  const problems = new Problems();
  const doc = readYaml(file, problems);
  if (doc === undefined || doc.kind(doc.root) !== "map") return undefined;
  const reader = new HeaderReader(file, doc, problems);
  const keys = new Map(
    ["target", "targets"].flatMap((name) => {
      const value = doc.get(doc.root, name);
      return value === undefined ? [] : [[name, { key: value, value }] as const];
    }),
  );
  return readChosen(reader, keys, fleetOf(configuration, problems))?.targets;
}
