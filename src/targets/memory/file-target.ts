import { realpath } from "node:fs/promises";
import { writeAtomically } from "../../core/atomic-file.js";
import { PlumblineError } from "../../core/errors.js";
import { isInsideFolder } from "../../core/inside-folder.js";
import type { Operation } from "../../core/operation.js";
import { readRegularFile, whyUnread } from "../../core/regular-file.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { protectSecrets } from "../../core/tree/stored-secrets.js";
import { parseXml } from "../../core/tree/xml/parse.js";
import { writeXml } from "../../core/tree/xml/write.js";
import { Unfenced } from "../../engine/fence.js";
import type { Opened } from "../../engine/target.js";
import type { Writes, WriteTarget } from "../../engine/write-target.js";
import type { Attribution } from "../../plan/diff/change.js";
import type { View } from "../../plan/platform.js";
import { panosShape } from "../panos/shape.js";
import type { MemoryTargetConfiguration } from "./settings.js";
import { MemoryTarget } from "./target.js";

/** Maximum size of the file, in bytes. */
const MOST_BYTES = 256 * 1024 * 1024;

/** A `MemoryTarget` whose tree is in a file. It has no candidate and no locks: a write changes the running configuration. */
export class FileTarget implements WriteTarget {
  readonly kind = "memory";
  readonly name: string;
  readonly shape: Shape = panosShape();
  readonly writer = new Unfenced<Writes>({ write: (batch) => this.#write(batch) });
  readonly #file: string;
  readonly #folder: string;
  #loaded: MemoryTarget | undefined;

  constructor({ name, file, folder }: MemoryTargetConfiguration) {
    this.name = name;
    this.#folder = folder;
    this.#file = file;
  }

  async open(): Promise<Opened> {
    const tree = protectSecrets(parseXml(await this.#text()), this.shape);
    const capabilities = { candidate: false, locks: false, changeList: false, partialCommit: false, partialRevert: false, validate: false };
    this.#loaded = new MemoryTarget({ name: this.name, shape: this.shape, tree, capabilities });
    return await this.#loaded.open();
  }

  async #text(): Promise<Buffer> {
    try {
      const [folder, real] = await Promise.all([realpath(this.#folder), realpath(this.#file)]);
      if (!isInsideFolder(folder, real)) throw leavesRepository(this.#file, this.name);
      return await readRegularFile(real, MOST_BYTES);
    } catch (cause) {
      if (cause instanceof PlumblineError) throw cause;
      throw new PlumblineError("memory-file-unreadable", `The file with the target's tree cannot be read (${whyUnread(cause)}).`, {
        where: { file: this.#file, target: this.name },
        next: "Create the file with at least the root element, or correct `file` of the target.",
        cause,
      });
    }
  }

  get #memory(): MemoryTarget {
    if (this.#loaded === undefined) throw new Error("target was not opened");
    return this.#loaded;
  }

  async read(subtrees: readonly Path[], view: View): Promise<TreeNode> {
    return await this.#memory.read(subtrees, view);
  }

  async #write(batch: readonly Operation[]): Promise<void> {
    this.#memory.writeAs(await this.administrator(), batch);
    const text = writeXml(this.#memory.configurations.candidate, { indent: true, secrets: "reveal" });
    await writeAtomically(this.#file, `${text}\n`, 0o600);
  }

  async attribution(path: Path, node: TreeNode | undefined): Promise<Attribution | undefined> {
    return await this.#memory.attribution(path, node);
  }

  async status(): Promise<ReadonlyMap<string, string>> {
    return new Map([...(await this.#memory.status()), ["file", this.#file]]);
  }

  async administrator(): Promise<string> {
    return await this.#memory.administrator();
  }

  async close(): Promise<void> {}
}

/** A commit chooses the file, and a plan prints its content, so it must be inside the repository. */
function leavesRepository(file: string, target: string): PlumblineError {
  return new PlumblineError("file-leaves-repository", "`file` of the target is outside the folder of plumbline.yaml, or in .git.", {
    where: { file, target },
    next: "Move the file into the folder of plumbline.yaml.",
  });
}
