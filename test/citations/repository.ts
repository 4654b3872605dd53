import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Possible targets of citations. Paths start at the root of the repository and use slashes. */
export interface Repository {
  readonly files: ReadonlySet<string>;
  /** Every folder that holds one of `files`. */
  readonly folders: ReadonlySet<string>;
  /** Text of a file. */
  text(path: string): string;
}

const MADE = new Set(["node_modules", "dist", ".git", "coverage"]);
const ROOTS = [".ci", ".github", "bench", "ci", "deploy", "desired-state", "docs", "packaging", "schemas", "src", "test", "web"];

/** The files below `root`, without generated ones. */
export function repositoryAt(root: string): Repository {
  const tops = readdirSync(root).filter((name) => statSync(join(root, name)).isFile());
  const below = ROOTS.filter((name) => existsSync(join(root, name))).flatMap((name) => filesBelow(root, name));
  return repositoryOf([...tops, ...below], (path) => readFileSync(join(root, path), "utf8"));
}

export function repositoryOf(paths: readonly string[], text: (path: string) => string): Repository {
  const folders = new Set<string>();
  for (const path of paths) for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) folders.add(path.slice(0, at));
  return { files: new Set(paths), folders, text };
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (MADE.has(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

/** Names by which a link finds the headings of a Markdown page, as code hosts make them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const used = new Map<string, number>();
  for (const [, heading = ""] of withoutBlocks(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** Without code blocks, which are examples. Lines keep their numbers. */
export function withoutBlocks(page: string): string {
  return page.replace(/^( *)(```|~~~)[\s\S]*?^\1\2 *$/gm, (block) => block.replace(/[^\n]/g, ""));
}
