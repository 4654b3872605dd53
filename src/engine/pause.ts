/** `target` undefined: all targets. */
export interface Pause {
  readonly target: string | undefined;
  readonly reason: string;
  readonly by: string;
  readonly since: number;
  /** Undefined: until resumed. */
  readonly until: number | undefined;
  /** The shared place does not have it, as far as is known: other runners are not held by it. */
  readonly onlyHere?: boolean | undefined;
}

export interface Approval {
  readonly target: string;
  readonly digest: string;
  readonly by: string;
  readonly at: number;
  /** Where it was given: a pull request's address, `command`. */
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
