import { readFileSync } from "node:fs";
import { basename } from "node:path";

interface Project {
  readonly references?: readonly { readonly path: string }[];
}

/** Rooms of src in the order in which they are built, each with the rooms that it may import: what the compiler holds, read where it reads it. */
export function rooms(): ReadonlyMap<string, readonly string[]> {
  return new Map(referencesOf("tsconfig.build.json").map((room) => [room, referencesOf(`src/${room}/tsconfig.json`)]));
}

function referencesOf(file: string): readonly string[] {
  const { references = [] } = JSON.parse(readFileSync(file, "utf8")) as Project;
  return references.map(({ path }) => basename(path));
}
