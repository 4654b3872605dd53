import { execFile } from "node:child_process";
import { runCli } from "../../../src/cli/program.js";

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

/** Runs `plumbline` in this process. `onError` gets its standard error. Concurrent runs must have the same `OS_CLIENT_CONFIG_FILE`. */
export async function runInProcess(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder: string,
  onError: (text: string) => void = () => undefined,
): Promise<Run> {
  let out = "";
  let err = "";
  // Connections to a cloud read the variables of the process.
  if (environment.OS_CLIENT_CONFIG_FILE !== undefined) process.env.OS_CLIENT_CONFIG_FILE = environment.OS_CLIENT_CONFIG_FILE;
  const code = await runCli(words, {
    environment,
    folder,
    stdout: {
      write: (part) => {
        out += part;
      },
    },
    stderr: {
      write: (part) => {
        err += part;
        onError(part);
      },
    },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}
