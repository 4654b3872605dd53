import { applyOperation } from "../../core/apply-operation.js";
import { PlumblineError } from "../../core/errors.js";
import { Lazy } from "../../core/lazy.js";
import type { Operation } from "../../core/operation.js";
import { cloneTree, UndoLog } from "../../core/tree/edit/edit-tree.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { Unfenced } from "../../engine/fence.js";
import type { Builds, BulkCreate, Writes, WriteTarget } from "../../engine/write-target.js";
import { withReferencesTo } from "../../plan/follow-renames.js";
import { Scopes } from "../../plan/namespace.js";
import type { OpenstackTargetConfiguration } from "../openstack-client/configuration.js";
import type { OpenstackDependencies, OpenstackOptions } from "../openstack-client/dependencies.js";
import { Inventory } from "./read/inventory.js";
import { OpenstackReader } from "./reader.js";
import { openstackShape } from "./shape.js";
import type { WriteContext } from "./write/context.js";
import { byObject } from "./write/locate.js";
import { makeObjects } from "./write/make-objects.js";
import { settle } from "./write/settle.js";
import { takesTagsAtCreate } from "./write/tags-at-create.js";
import { writeObject } from "./write/write-object.js";

/** Reads and writes one project of a cloud. Each write takes effect immediately and individually. */
export class OpenstackWriter extends OpenstackReader implements WriteTarget {
  readonly writer = new Unfenced<Writes & { readonly together: BulkCreate; readonly builds: Builds }>({
    write: (batch) => this.#write(batch),
    together: { make: (operations) => this.#make(operations) },
    builds: { settle: (progress) => settle(this.#context(), progress) },
  });
  readonly #tagsAtCreate = new Lazy(() => takesTagsAtCreate(this.client));
  readonly #createSettle: number;
  readonly #run: string;
  readonly #made: WriteContext["made"] = new Set();
  readonly #building: WriteContext["building"] = new Map();
  readonly #leaving = new Set<string>();
  readonly #keptRules = new Set<string>();
  readonly #postponed: WriteContext["postponed"] = new Map();
  readonly #late: WriteContext["late"] = [];
  /** The last read, updated with the writes since. */
  #seen: TreeNode | undefined;

  constructor(configuration: OpenstackTargetConfiguration, dependencies: OpenstackDependencies, options: OpenstackOptions = {}) {
    super(configuration, dependencies, options);
    this.#createSettle = configuration.createSettle;
    this.#run = Math.floor(dependencies.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  }

  override async read(subtrees: readonly Path[]): Promise<TreeNode> {
    const tree = await super.read(subtrees);
    this.#seen = cloneTree(tree);
    this.#made.clear();
    return tree;
  }

  async administrator(): Promise<string> {
    return (await this.client.session()).user?.name ?? "";
  }

  /** Writes one object after another. Throws the first error, with the path of its entry. */
  async #write(batch: readonly Operation[]): Promise<void> {
    for (const part of byObject(batch)) {
      await writeObject(part, this.#seen, this.#context());
      if (this.#seen !== undefined) this.#seen = part.operations.reduce(noted, this.#seen);
    }
  }

  async #make(operations: readonly Operation[]): Promise<readonly (Error | undefined)[]> {
    const errors = await makeObjects(operations, this.#seen, this.#context());
    const made = operations.filter((_, at) => errors[at] === undefined);
    if (this.#seen !== undefined) this.#seen = made.reduce(noted, this.#seen);
    return errors;
  }

  #context(): WriteContext {
    this.inventory ??= new Inventory(this.client, this.known, this.own);
    return {
      client: this.client,
      dependencies: this.dependencies,
      inventory: this.inventory,
      tagsAtCreate: this.#tagsAtCreate,
      createSettle: this.#createSettle,
      run: this.#run,
      made: this.#made,
      building: this.#building,
      leaving: this.#leaving,
      keptRules: this.#keptRules,
      postponed: this.#postponed,
      stored: this.stored,
      unanswered: this.unanswered,
      late: this.#late,
    };
  }
}

/** Applies an operation to the tree. References to a renamed object are updated. */
function noted(seen: TreeNode, operation: Operation): TreeNode {
  const renames = operation.action === "rename" ? [operation] : [];
  const followed = withReferencesTo(renames, seen, openstackShape(), new Scopes());
  try {
    applyOperation(followed, operation, new UndoLog());
  } catch (error) {
    // The node to delete was already absent.
    if (!(error instanceof PlumblineError)) throw error;
  }
  return followed;
}

export function openOpenstackWriter(
  configuration: OpenstackTargetConfiguration,
  dependencies: OpenstackDependencies,
  options: OpenstackOptions = {},
): OpenstackWriter {
  return new OpenstackWriter(configuration, dependencies, options);
}
