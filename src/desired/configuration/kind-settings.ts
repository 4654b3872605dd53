import type { TargetConfiguration } from "../configuration.js";
import type { CommonText, TargetContext } from "./target-context.js";
import type { TargetSchema } from "./target-schema.js";

/** A target as `plumbline.yaml` writes it: already held against the schema of its kind. */
export interface TargetText extends CommonText {
  readonly kind: string;
}

/** What `plumbline.yaml` may say of a target of one kind, and how that is read. */
export interface KindSettings<Text extends TargetText = TargetText> {
  readonly schema: TargetSchema;
  /** Names of other targets that the text refers to: they are read first, and their secrets with it. */
  refersTo?(text: Text): readonly string[];
  /** Addresses that the log-in of a target is sent to; `url` and `peers` where it is left out. */
  addresses?(configuration: TargetConfiguration): readonly string[];
  /** Fills in defaults, overrides and secrets. What makes no sense goes to `context.invalid`. */
  read(text: Text, context: TargetContext): Promise<TargetConfiguration>;
}
