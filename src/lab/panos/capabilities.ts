/** Features that a lab firewall supports in addition to the calls of the specification. */
export interface LabCapabilities {
  readonly multiConfig: boolean;
  /** Actions `show`, `move`, `rename`, `clone`, `complete`, `override`, `multi-move`, `multi-clone`. */
  readonly moreActions: boolean;
  readonly jobs: boolean;
  readonly locks: boolean;
  /** List of changes and check for pending changes. */
  readonly changes: boolean;
  readonly partialCommit: boolean;
  readonly validate: boolean;
  readonly revert: boolean;
  /** Saved configurations, `load`, `save` and audit versions. */
  readonly saved: boolean;
  /** The other operational commands, `version`, `report`, `export`, `import`, `user-id`, logs other than threat. */
  readonly extras: boolean;
}

export const ALL_CAPABILITIES: LabCapabilities = {
  multiConfig: true,
  moreActions: true,
  jobs: true,
  locks: true,
  changes: true,
  partialCommit: true,
  validate: true,
  revert: true,
  saved: true,
  extras: true,
};

/** A device that supports only the specification (docs/contributing/spec-firewall.md). */
export const SPEC_ONLY: LabCapabilities = {
  multiConfig: false,
  moreActions: false,
  jobs: false,
  locks: false,
  changes: false,
  partialCommit: false,
  validate: false,
  revert: false,
  saved: false,
  extras: false,
};
