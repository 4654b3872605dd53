import { stripVTControlCharacters } from "node:util";
import { gitIn } from "../engine/checkout/git.js";
import type { Paint } from "../report/style.js";
import type { Context, Output } from "./context.js";
import { runCli } from "./program.js";
import { safeOutput } from "./safe-output.js";

/** Maximum width of a line. */
const COLUMNS = 110;
/** Maximum numbers of lines that a command prints for a block below the target, and for what becomes reachable. An empty line ends a block. */
interface Limits {
  readonly block: number;
  readonly reachability: number;
}

const LIMITS: Limits = { block: 20, reachability: 4 };
/** Words of more columns can be broken. */
const LONG_WORD = 60;

export interface Steps {
  /** Prints the heading of a step. */
  heading(text: string): void;
  /** Prints a command line. */
  command(line: string): void;
  /** Prints and runs a command, then prints its shortened output. Throws if the command ends with another exit code. */
  run(line: string, expected: number, limits?: Limits): Promise<void>;
}

interface StepsOptions {
  readonly context: Context;
  readonly paint: Paint;
  /** Command that prints the omitted lines; undefined prints everything. */
  readonly fullCommand: string | undefined;
}

export function stepsOn({ context, paint, fullCommand }: StepsOptions): Steps {
  const { stdout, stop } = context;
  const safe = safeOutput(stdout);
  let isFirst = true;
  let isAfterHeading = false;
  const command = (line: string): void => {
    safe.write(`${isAfterHeading ? "" : "\n"}${paint("cyan", `$ plumbline ${line}`)}\n`);
    isAfterHeading = false;
  };
  return {
    command,
    heading(text) {
      safe.write(`${isFirst ? "" : "\n"}${paint("bold", `# ${text}`)}\n`);
      isFirst = false;
      isAfterHeading = true;
    },
    async run(line, expected, limits = LIMITS) {
      stop.throwIfAborted();
      command(line);
      let text = "";
      const collector: Output = { isTTY: stdout.isTTY, columns: stdout.columns, write: (part) => (text += part) };
      const code = await runCli(line.split(" "), { ...context, stdout: collector });
      stdout.write(fullCommand === undefined ? text : shorten(text, limits, fullCommand));
      if (code !== expected) throw new Error(`plumbline ${line} ended with ${code}, not ${expected}`);
    },
  };
}

/** Returns an output that wraps long lines. Calls `onText` with each text before it is wrapped. */
export function wrappingOutput(output: Output, onText: (text: string) => void): Output {
  return {
    isTTY: output.isTTY,
    columns: output.columns,
    write(text) {
      onText(text);
      return output.write(text.split("\n").flatMap(wrap).join("\n"));
    },
  };
}

/**
 * Limits the lines of each block, omits blocks of one line and empty lines inside the report of a target, and wraps long lines. The number
 * of omitted lines follows at the end of the target.
 * @internal Exported for tests.
 */
export function shorten(text: string, limits: Limits, fullCommand: string): string {
  const reports: string[][][] = [];
  for (const block of text.trimEnd().split("\n\n")) {
    const lines = block.split("\n");
    const report = reports.at(-1);
    if (report !== undefined && stripVTControlCharacters(block).startsWith(" ")) report.push(lines);
    else reports.push([lines]);
  }
  const shown = reports.map((blocks) => shortenReport(blocks, limits, fullCommand));
  return `${shown.map((report, index) => (index < shown.length - 2 && !report.includes("\n") ? report : `${report}\n`)).join("\n")}`;
}

function shortenReport([header = [], ...details]: readonly string[][], limits: Limits, fullCommand: string): string {
  const blocks = [header, ...details.filter((lines) => lines.length > 1)];
  // The first line of the header names the target.
  const kept = blocks.map((lines, at) => lines.slice(0, isReachability(lines) ? limits.reachability : limits.block + (at === 0 ? 1 : 0)));
  const omitted = header.length + details.flat().length - kept.flat().length;
  const shown = omitted <= 1 ? [header, ...details] : [...kept, [`  … ${omitted} more lines: ${fullCommand}`]];
  return shown.flat().flatMap(wrap).join("\n");
}

const isReachability = ([first = ""]: readonly string[]): boolean => /^ +What (?:becomes|became) /.test(stripVTControlCharacters(first));
const widthOf = (text: string): number => stripVTControlCharacters(text).trimEnd().length;

/** Breaks a line after spaces, and a long word after commas or between the steps of a path. Color codes have no width. */
function wrap(line: string): string[] {
  if (widthOf(line) <= COLUMNS) return [line];
  const indent = " ".repeat(Math.min((/^ */.exec(stripVTControlCharacters(line))?.[0].length ?? 0) + 4, 20));
  const words = line.split(/(?<= )(?=[^ ])/).flatMap((word) => (widthOf(word) > LONG_WORD ? word.split(/(?<=\])(?=\/)|(?<=,)/) : [word]));
  const lines: string[] = [];
  let current = "";
  for (const word of words) {
    if (current.trim() !== "" && widthOf(current + word) > COLUMNS) {
      lines.push(current.trimEnd());
      current = indent;
    }
    current += word;
  }
  return [...lines, current];
}

/** Creates a repository in `folder` and commits `files`. @throws Error with the message of git */
export async function commitNew(folder: string, files: readonly string[], message: string): Promise<void> {
  await runGit(folder, ["init", "--quiet"]);
  await runGit(folder, ["add", "--", ...files]);
  await commitAll(folder, message);
}

/** Commits all changes of known files. @throws Error with the message of git */
export async function commitAll(folder: string, message: string): Promise<void> {
  // The user may have turned on signing, but this identity has no key.
  const identity = ["-c", "user.name=You", "-c", "user.email=you@example.net", "-c", "commit.gpgSign=false"];
  await runGit(folder, [...identity, "commit", "--quiet", "--all", "-m", message]);
}

async function runGit(folder: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await gitIn(folder)(args);
  if (code !== 0) throw new Error(stderr.trim());
}
