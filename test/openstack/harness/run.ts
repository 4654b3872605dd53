import { execFile } from "node:child_process";

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program until it ends, with any exit status. `environment` is its complete environment. `onError` gets its standard error. */
export function run(
  file: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder?: string,
  onError: (text: string) => void = () => undefined,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const options = {
      env: environment,
      encoding: "utf8" as const,
      maxBuffer: 64 * 1024 * 1024,
      ...(folder === undefined ? {} : { cwd: folder }),
    };
    const child = execFile(file, [...words], options, (error, out, err) => {
      if (error !== null && typeof error.code !== "number") reject(error);
      else resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
    child.stderr?.on("data", onError);
  });
}
