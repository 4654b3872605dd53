/** `target` undefined: all targets. */
export interface Pause {
  readonly target: string | undefined;
  readonly reason: string;
  readonly by: string;
  readonly since: number;
  /** Undefined: until resumed. */
  readonly until: number | undefined;
  /** The shared store does not have the pause, so other runners ignore it. */
  readonly onlyHere?: boolean | undefined;
}

export interface Approval {
  readonly target: string;
  readonly digest: string;
  readonly by: string;
  readonly at: number;
  /** Origin of the approval: the address of a pull request, or `command`. */
  readonly source: string | undefined;
  /** SSH signature of `approvalText`. Without one an approval outside the agent's store does not count. */
  readonly signature?: string | undefined;
}

/** The end of a pause, signed by a person. */
export interface Resume {
  /** Undefined: the pause of all targets. */
  readonly target: string | undefined;
  readonly by: string;
  /** Milliseconds since 1970. Ends pauses that began before. */
  readonly at: number;
  /** SSH signature of `resumeText`. */
  readonly signature: string;
}
