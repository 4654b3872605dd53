import type { OwnName } from "../administrator.js";
import type { PanosDependencies } from "../dependencies.js";
import type { PanosSession } from "../session.js";

/** What the roles of a writer share. */
export interface WriterParts {
  readonly session: PanosSession;
  readonly dependencies: PanosDependencies;
  readonly name: OwnName;
  /** Something of ours is uncommitted, which a strict batch would set back. */
  wrote: boolean;
}
