import type { TargetConfiguration } from "./configuration.js";
import type { CommonText, TargetContext } from "./target-context.js";
import type { TargetSchema } from "./target-schema.js";

/** A target as written in `plumbline.yaml`, already checked against the schema of its kind. */
export interface TargetText extends CommonText {
  readonly kind: string;
}

/** The schema of the targets of one kind, and its reader. */
export interface KindSettings<Text extends TargetText = TargetText> {
  readonly schema: TargetSchema;
  /** Returns names of other targets that the text refers to. They and their secrets are read first. */
  refersTo?(text: Text): readonly string[];
  /** Returns the addresses that receive the login of a target. Default: `url` and `peers`. */
  addresses?(configuration: TargetConfiguration): readonly string[];
  /** Applies defaults, overrides and secrets. Reports invalid values to `context.invalid`. */
  read(text: Text, context: TargetContext): Promise<TargetConfiguration>;
}
