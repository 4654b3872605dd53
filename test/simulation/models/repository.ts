import { createHash } from "node:crypto";

export interface GitCommit {
  readonly type: "commit";
  readonly tree: string;
  readonly parents: readonly string[];
  /** `Name <address>`. */
  readonly author: string;
}

/** A tree with the paths of all files in it, in any folder. */
interface GitTree {
  readonly type: "tree";
  readonly files: ReadonlyMap<string, string>;
}

export type GitObject = GitCommit | GitTree | { readonly type: "blob"; readonly text: string };

/** Objects and references of one simulated repository. */
export class Repository {
  readonly objects = new Map<string, GitObject>();
  readonly refs = new Map<string, string>();
  readonly remotes = new Map<string, string>();
  /** A reference, or the id of a commit. */
  head = "refs/heads/main";
  readonly isBare: boolean;

  constructor(isBare: boolean) {
    this.isBare = isBare;
  }

  get headCommit(): string | undefined {
    return this.resolve("HEAD");
  }

  add(object: GitObject, more = ""): string {
    const text = object.type === "tree" ? JSON.stringify([...object.files]) : JSON.stringify(object);
    const id = createHash("sha1").update(`${object.type} ${text} ${more}`).digest("hex");
    this.objects.set(id, object);
    return id;
  }

  addFiles(files: Readonly<Record<string, string>>): string {
    const ids = Object.entries(files).map(([path, text]) => [path, this.add({ type: "blob", text })] as const);
    return this.add({ type: "tree", files: new Map(ids.sort(([a], [b]) => (a < b ? -1 : 1))) });
  }

  /** Two commits of the same content, parents, author and second are one, as in git. */
  addCommit(tree: string, parents: readonly string[], author: string, message: string, second: number): string {
    return this.add({ type: "commit", tree, parents, author }, `${message} ${second}`);
  }

  /** An id, `HEAD`, a reference, or one of these with `^{commit}`. */
  resolve(name: string): string | undefined {
    const plain = name.replace(/\^\{commit\}$/, "");
    if (plain === "HEAD") return this.head.startsWith("refs/") ? this.refs.get(this.head) : this.head;
    return this.refs.get(plain) ?? (this.objects.has(plain) ? plain : undefined);
  }

  commitAt(name: string): GitCommit | undefined {
    const object = this.objects.get(this.resolve(name) ?? "");
    return object?.type === "commit" ? object : undefined;
  }

  /** Texts of files by path. */
  filesAt(commit: string): ReadonlyMap<string, string> {
    const tree = this.objects.get(this.commitAt(commit)?.tree ?? "");
    if (tree?.type !== "tree") return new Map();
    return new Map([...tree.files].map(([path, id]) => [path, this.#textOf(id)]));
  }

  #textOf(id: string): string {
    const blob = this.objects.get(id);
    return blob?.type === "blob" ? blob.text : "";
  }

  isAncestor(ancestor: string, commit: string): boolean {
    const seen = new Set<string>();
    const waiting = [commit];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === ancestor) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(...(this.commitAt(next)?.parents ?? []));
    }
    return false;
  }

  /** Copies an object and all that it leads to. */
  take(id: string, from: Repository): void {
    const object = from.objects.get(id);
    if (object === undefined || this.objects.has(id)) return;
    this.objects.set(id, object);
    if (object.type === "tree") for (const blob of object.files.values()) this.take(blob, from);
    if (object.type === "commit") for (const each of [object.tree, ...object.parents]) this.take(each, from);
  }
}
