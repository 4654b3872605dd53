import type { Leniency } from "../desired/checks.js";
import type { VerdictRating } from "./verdict-meaning.js";

/** Verdict on one file that a document lists. */
export interface ArtifactVerdict {
  /** Undefined for an image with an unknown checksum. */
  readonly hash: string | undefined;
  readonly image: string | undefined;
  /** `benign`, `malicious`, `unknown`, `unavailable` … */
  readonly word: string;
  readonly standing: VerdictRating | "unavailable";
  /** The document's setting for files without a good verdict. */
  readonly leniency: Leniency;
  /** Reason for a missing verdict. */
  readonly why?: string | undefined;
}
