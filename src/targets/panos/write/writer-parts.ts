import type { OwnName } from "../administrator.js";
import type { PanosDependencies } from "../dependencies.js";
import type { PanosSession } from "../session.js";

export interface WriterParts {
  readonly session: PanosSession;
  readonly dependencies: PanosDependencies;
  readonly name: OwnName;
  /** Whether this run has uncommitted changes, which a strict batch would revert. */
  wrote: boolean;
}
