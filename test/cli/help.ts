import { expect } from "vitest";
import { runCli } from "../../src/cli/program.js";

/** Returns the output of `--help` for a command. */
export async function helpOf(...words: string[]): Promise<string> {
  let text = "";
  const write = (part: string) => (text += part);
  const stdout = { write, isTTY: false };
  const code = await runCli([...words, "--help"], {
    environment: {},
    folder: ".",
    stdout,
    stderr: stdout,
    now: () => new Date(0),
    stop: new AbortController().signal,
  });
  expect(code).toBe(0);
  return text.trim();
}

const GROUPS = /^(?:Main|Investigate|Control|Agent|Tools|Commands):\n/;

/** Commands and subcommands with their help, in the order of the help. */
export async function helpPages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  const collect = async (...words: string[]): Promise<void> => {
    const help = await helpOf(...words);
    if (words.length > 0) pages.set(words.join(" "), help);
    for (const name of commandsIn(help)) await collect(...words, name);
  };
  await collect();
  return pages;
}

const commandsIn = (help: string): string[] =>
  help
    .split("\n\n")
    .filter((section) => GROUPS.test(section))
    .flatMap((section) => [...section.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = ""]) => name))
    .filter((name) => name !== "help");
