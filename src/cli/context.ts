/** Everything of the process that commands may touch, so that tests run them in the same process. */
export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** The result alone. */
  readonly stdout: Output;
  /** What a command reads that takes its input from a pipe, or what a person types. Node makes it for the first that asks. */
  readonly stdin?: (() => Input) | undefined;
  /** Progress, warnings, logs. */
  readonly stderr: Output;
  now(): Date;
  /** Aborted on SIGINT and SIGTERM: finish the step, leave things clean. */
  readonly stop: AbortSignal;
  /** Between two looks at something that goes on, ours or another's; ends early once stopped. The system's timer when left out. */
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
