import type { PanosDependencies } from "../dependencies.js";
import type { PanosSession } from "../session.js";

/** What the roles of a writer share. */
export interface WriterParts {
  readonly session: PanosSession;
  readonly dependencies: PanosDependencies;
  /** Asked of the device once. */
  administrator(): Promise<string>;
  /** Something of ours is uncommitted, which a strict batch would set back. */
  wrote: boolean;
}
