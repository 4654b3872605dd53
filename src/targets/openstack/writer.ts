import { applyOperation } from "../../core/apply-operation.js";
import { PlumblineError } from "../../core/errors.js";
import { objectsAt, textAt } from "../../core/json/value.js";
import { Lazy } from "../../core/lazy.js";
import type { Operation } from "../../core/operation.js";
import { cloneTree, UndoLog } from "../../core/tree/edit/edit-tree.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { Unfenced } from "../../engine/fence.js";
import type { Builds, BulkCreate, Progress, Writes, WriteTarget } from "../../engine/write-target.js";
import { withReferencesTo } from "../../plan/follow-renames.js";
import { Scopes } from "../../plan/namespace.js";
import type { OpenstackClient } from "../openstack-client/client/client.js";
import { isOutcomeUnknown, OpenstackError } from "../openstack-client/client/openstack-error.js";
import type { OpenstackTargetConfiguration } from "../openstack-client/configuration.js";
import type { OpenstackDependencies, OpenstackOptions } from "../openstack-client/dependencies.js";
import type { ListName } from "./objects/kinds.js";
import { Inventory } from "./read/inventory.js";
import { OpenstackReader } from "./reader.js";
import { openstackShape } from "./shape.js";
import type { WriteContext } from "./write/context.js";
import { explainCloudError } from "./write/explain-error.js";
import { byObject } from "./write/locate.js";
import { makeObjects } from "./write/make-objects.js";
import { settleServers } from "./write/settle-servers.js";
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

/** Waits for new servers, then performs the postponed operations. Resolves with the failures. */
async function settle(context: WriteContext, progress: Progress): Promise<readonly PlumblineError[]> {
  const failures = [...(await settleServers(context, progress))];
  for (const [path, attempt] of context.postponed) {
    context.postponed.delete(path);
    try {
      await attempt(progress);
    } catch (error) {
      const explained = await explainCloudError(
        error,
        { list: (path.parent?.tag ?? "") as ListName, path, id: undefined, isMade: true },
        context,
      );
      if (!(explained instanceof PlumblineError)) throw explained;
      failures.push(explained);
    }
  }
  return failures;
}

/**
 * Whether the network service accepts tags in the create of every taggable object: the extension `tag-creation` shows it
 * (docs/contributing/devices/openstack.md#network). If unknown, tags are set with a separate request.
 */
async function takesTagsAtCreate(client: OpenstackClient): Promise<boolean> {
  try {
    const { body } = await client.request({ service: "network", method: "GET", path: ["extensions"] });
    return objectsAt(body, "extensions").some((extension) => textAt(extension, "alias") === "tag-creation");
  } catch (error) {
    const isNoAnswer = error instanceof PlumblineError && error.code === "unexpected-http-status";
    if (isNoAnswer || error instanceof OpenstackError || isOutcomeUnknown(error)) return false;
    throw error;
  }
}
