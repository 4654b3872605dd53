import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** Replaces a text that occurs exactly once in a source file. */
export interface Replacement {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Returns an esbuild plugin that bundles the sources with these replacements. Each module keeps its own `import.meta.url`. */
export function changedSources(replacements: readonly Replacement[] = []): Plugin {
  const changed = applied(replacements);
  return {
    name: "changed-sources",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = changed.get(path) ?? readFileSync(path, "utf8");
        return { contents: text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)), loader: "ts" };
      });
    },
  };
}

/** Returns the changed texts by absolute path. @throws if a text is missing or occurs more than once */
export function applied(replacements: readonly Replacement[]): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { file, from, to } of replacements) {
    const path = resolve(file);
    const parts = (changed.get(path) ?? readFileSync(path, "utf8")).split(from);
    if (parts.length !== 2) {
      throw new Error(`${file} contains this text ${parts.length - 1} times instead of once. Adapt the replacement:\n${from}`);
    }
    changed.set(path, parts.join(to));
  }
  return changed;
}
