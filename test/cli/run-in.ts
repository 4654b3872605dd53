import { join } from "node:path";
import { runCli } from "../../src/cli/program.js";
import { confirmed } from "../confirmed.js";
import type { Run } from "./world.js";

/** Runs a command in a folder with its state next to it. `text` is all output in its order. */
export async function runIn(
  folder: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Run & { readonly text: string }> {
  let out = "";
  let err = "";
  let text = "";
  const code = await runCli(confirmed(words), {
    environment: { HOME: folder, PATH: process.env.PATH, PLUMBLINE_STATE_DIR: join(folder, "state"), NO_COLOR: "1", ...environment },
    folder,
    stdout: {
      write: (part) => {
        out += part;
        text += part;
      },
    },
    stderr: {
      write: (part) => {
        err += part;
        text += part;
      },
    },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return { code, out, err, text };
}
