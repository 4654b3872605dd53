import { childByTag, find } from "../../../src/core/tree/lookup.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import type { Path } from "../../../src/core/tree/path.js";
import { unshared } from "../../../src/engine/apply/fences.js";
import type { Fenced } from "../../../src/engine/fence.js";
import type { Opened } from "../../../src/engine/target.js";
import type { CommitResult, Commits, Writer, WriteTarget } from "../../../src/engine/write-target.js";
import type { View } from "../../../src/plan/platform.js";
import type { Bench } from "./bench.js";

export const quiet = (): void => undefined;

/** A bench with a target that was opened and is written to without a lease. */
export class Scene {
  readonly bench: Bench;
  readonly target: WriteTarget;
  readonly opened: Opened;
  readonly writer: Fenced<Writer>;

  private constructor(bench: Bench, target: WriteTarget, opened: Opened) {
    this.bench = bench;
    this.target = target;
    this.opened = opened;
    this.writer = target.writer.behind(unshared);
  }

  static async on(bench: Bench): Promise<Scene> {
    const target = bench.connect();
    return new Scene(bench, target, await target.open());
  }

  path(word: string): Path {
    return this.bench.list.entry(this.bench.named(word));
  }

  /** The operation that makes an entry, or adds to it. */
  making(word: string, text: string) {
    return { action: "set", at: this.bench.list, element: this.bench.entry(this.bench.named(word), text) } as const;
  }

  async make(word: string, text: string): Promise<void> {
    await this.writer.write([this.making(word, text)]);
  }

  async read(path: Path, view: View = "candidate"): Promise<TreeNode | undefined> {
    return find(await this.target.read([path], view), path);
  }

  /** The text of an entry's leaf; undefined if there is no such entry. */
  async text(word: string, view: View = "candidate"): Promise<string | undefined> {
    const entry = await this.read(this.path(word), view);
    return entry === undefined ? undefined : (childByTag(entry, this.bench.leaf)?.text ?? "");
  }

  /** Names of a list, in order. */
  async names(list = this.bench.list): Promise<(string | undefined)[]> {
    return ((await this.read(list))?.children ?? []).map(({ name }) => name);
  }

  async commit(description = "plumbline conformance"): Promise<CommitResult> {
    return await this.commits.commit({ description, partial: this.opened.capabilities.partialCommit }, quiet);
  }

  get commits(): Fenced<Commits> {
    return there(this.writer.commits);
  }
}

/** A role that the case requires. */
export function there<T>(role: T | undefined): T {
  if (role === undefined) throw new Error("the target does not have the role that the case applies to");
  return role;
}

export interface Case {
  readonly name: string;
  /** The reason why the case does not apply, from the roles and capabilities of the target; undefined if it does. */
  absent(scene: Scene): string | undefined | false;
  run(scene: Scene): Promise<void>;
}

/** A case that every target has to pass. */
export const always = (): undefined => undefined;
