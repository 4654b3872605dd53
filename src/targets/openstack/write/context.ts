import type { PlumblineError } from "../../../core/errors.js";
import type { Lazy } from "../../../core/lazy.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import type { OpenstackClient } from "../client/client.js";
import type { OpenstackDependencies } from "../dependencies.js";
import type { Inventory } from "../read/inventory.js";

/** What the writers of one run share. */
export interface WriteContext {
  readonly client: OpenstackClient;
  readonly dependencies: OpenstackDependencies;
  /** What was last read, and what we made since. */
  readonly inventory: Inventory;
  /** Whether the network service takes tags in a create (since 2025.1): asked once, before the first of them. */
  readonly tagsAtCreate: Lazy<boolean>;
  /** Seconds to look for what a create made whose reply was lost. */
  readonly createSettle: number;
  /** Who writes: in the metadata of servers. */
  readonly run: string;
  /** Entries of objects that this run made: what the plan saw there is no measure any more. */
  readonly made: Set<string>;
  /** Servers that build, by id, each with its entry. */
  readonly building: Map<string, Path>;
  /** Ports that this run takes off servers, by id. */
  readonly leaving: Set<string>;
  /** IDs of security group rules that the service named as existing in this run: they are not deleted. */
  readonly keptRules: Set<string>;
  /** What could not be done when its turn came, by entry: tried again when all else was written and the servers are built. */
  readonly postponed: Map<Path, (progress: Progress) => Promise<void>>;
  /** Entries that were changed, and that the reply showed with all of it. */
  readonly stored: Set<string>;
  /** Entries whose create got no answer, and of which nothing came before it was sent again. */
  readonly unanswered: Set<string>;
  /** What shows only after the operation that it belongs to. */
  readonly late: PlumblineError[];
}
