import { readFileSync } from "node:fs";
import { basename } from "node:path";

interface Project {
  readonly references?: readonly { readonly path: string }[];
}

/** The rooms of src in build order, each with the rooms that it may import, read from the configuration of the compiler. */
export function rooms(): ReadonlyMap<string, readonly string[]> {
  return new Map(referencesOf("tsconfig.build.json").map((room) => [room, referencesOf(`src/${room}/tsconfig.json`)]));
}

function referencesOf(file: string): readonly string[] {
  const { references = [] } = JSON.parse(readFileSync(file, "utf8")) as Project;
  return references.map(({ path }) => basename(path));
}
