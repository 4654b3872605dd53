/** `target` undefined: all targets. */
export interface Pause {
  readonly target: string | undefined;
  readonly reason: string;
  readonly by: string;
  readonly since: number;
  /** Undefined: until resumed. */
  readonly until: number | undefined;
}

export interface Approval {
  readonly target: string;
  readonly digest: string;
  readonly by: string;
  readonly at: number;
  /** Where it was given: a pull request's address, `command`. */
  readonly source: string | undefined;
}
