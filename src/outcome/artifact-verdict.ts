import type { Leniency } from "../desired/checks.js";
import type { VerdictStanding } from "./verdict-meaning.js";

/** What is known of one file that a document lists. */
export interface ArtifactVerdict {
  /** Undefined for an image whose checksum is not known. */
  readonly hash: string | undefined;
  readonly image: string | undefined;
  /** `benign`, `malicious`, `unknown`, `unavailable` … */
  readonly word: string;
  readonly standing: VerdictStanding | "unavailable";
  /** What the document says of one that is not good. */
  readonly leniency: Leniency;
  /** Why there is no verdict. */
  readonly why?: string | undefined;
}
