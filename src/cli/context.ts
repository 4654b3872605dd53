/** Everything of the process that commands may use, so that tests can run them in their own process. */
export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Only for the result. */
  readonly stdout: Output;
  /** Input from a pipe or a terminal. Node creates the stream on first use. */
  readonly stdin?: (() => Input) | undefined;
  /** Progress, warnings and logs. */
  readonly stderr: Output;
  now(): Date;
  /** Aborted on SIGINT and SIGTERM. Commands finish the current step and clean up. */
  readonly stop: AbortSignal;
  /** Waits between two polls; ends early if stopped. If omitted, the system timer is used. */
  readonly sleep?: ((milliseconds: number, stop: AbortSignal) => Promise<void>) | undefined;
}

interface Input extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
}

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}
