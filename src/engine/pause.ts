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
}
