import type { PlumblineError } from "../../../core/errors.js";
import type { Lazy } from "../../../core/lazy.js";
import type { Path } from "../../../core/tree/path.js";
import type { Progress } from "../../../engine/write-target.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import type { OpenstackDependencies } from "../../openstack-client/dependencies.js";
import type { Inventory } from "../read/inventory.js";

/** State that the writers of one run share. */
export interface WriteContext {
  readonly client: OpenstackClient;
  readonly dependencies: OpenstackDependencies;
  /** Objects of the last read and those created since. */
  readonly inventory: Inventory;
  /** Whether the network service accepts tags in a create (since 2025.1). Requested before the first create. */
  readonly tagsAtCreate: Lazy<boolean>;
  /** Seconds to search for the object of a create whose reply was lost. */
  readonly createSettle: number;
  /** ID of the run, in the metadata of servers and volumes. */
  readonly run: string;
  /** Entries of objects that this run created. The planned state does not apply to them. */
  readonly made: Set<string>;
  /** Servers in status BUILD: their entries by id. */
  readonly building: Map<string, Path>;
  /** IDs of ports that this run detaches from servers. */
  readonly leaving: Set<string>;
  /** IDs of security group rules that the service named as existing in this run: they are not deleted. */
  readonly keptRules: Set<string>;
  /** Operations that failed for now, by entry. They are repeated after all other writes, when the servers are built. */
  readonly postponed: Map<Path, (progress: Progress) => Promise<void>>;
  /** Entries whose last reply showed all written values. */
  readonly stored: Set<string>;
  /** Entries whose create got no reply and whose object was not found before the retry. */
  readonly unanswered: Set<string>;
  /** Failures that appear only after their operation. */
  readonly late: PlumblineError[];
}
