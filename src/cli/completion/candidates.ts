import type { Argument, Command, Option } from "commander";

/** Candidates for one place of a command line. */
export interface Candidates {
  readonly words: readonly Candidate[];
  /** Files are possible too. The shell completes their names. */
  readonly files: boolean;
}

interface Candidate {
  readonly word: string;
  readonly description: string;
}

const NOTHING: Candidates = { words: [], files: false };
const FILES: Candidates = { words: [], files: true };
/** Placeholders of values that are files or folders, as in the definitions of commands. */
const FILE_LIKE = /(?:^|=)(?:file|dir|plan)(?:\.\w+)?$/;

/**
 * Returns the possible continuations of a command line, from the definitions of the commands.
 * @param words Words after the program name. The last one is at the cursor and may be empty.
 * @param targetNames Target names of plumbline.yaml.
 */
export function candidatesFor(program: Command, words: readonly string[], targetNames: readonly string[]): Candidates {
  const [typed = "", ...before] = [...joinedByEquals(words)].reverse();
  const { command, options, values, waiting } = read(program, before.reverse());
  const [, flag = "", begun] = /^(--?[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (begun !== undefined) {
    const option = options.find(isNamed(flag));
    return option === undefined ? NOTHING : prefixed(beginning(valuesOf(option, targetNames), begun), `${flag}=`);
  }
  if (waiting !== undefined) return beginning(valuesOf(waiting, targetNames), typed);
  if (typed.startsWith("-")) return beginning({ words: options.flatMap(flagsOf), files: false }, typed);
  const subcommands = values === 0 ? visibleCommands(command) : [];
  if (subcommands.length > 0) return beginning({ words: subcommands, files: false }, typed);
  const argument = command.registeredArguments[values] ?? command.registeredArguments.find((each) => each.variadic);
  return argument === undefined ? NOTHING : beginning(valuesOf(argument, targetNames), typed);
}

/** bash treats `=` as a separate word. */
function joinedByEquals(words: readonly string[]): string[] {
  return words.reduce<string[]>((joined, word) => {
    const last = joined.at(-1);
    if (last?.startsWith("--") && (word === "=" || last.endsWith("="))) joined[joined.length - 1] = last + word;
    else joined.push(word);
    return joined;
  }, []);
}

interface Reading {
  readonly command: Command;
  /** Options of the command, and options of every command. */
  readonly options: readonly Option[];
  /** Number of arguments that the command has. */
  readonly values: number;
  /** The option whose value comes next. */
  readonly waiting: Option | undefined;
}

function read(program: Command, words: readonly string[]): Reading {
  let command = program;
  let values = 0;
  let waiting: Option | undefined;
  const options = () => (command === program ? program.options : [...command.options, ...program.options]);
  for (const word of words) {
    if (waiting !== undefined) {
      waiting = undefined;
    } else if (word.startsWith("-")) {
      waiting = options().find((each) => isNamed(word)(each) && (each.required || each.optional));
    } else {
      const next: Command | undefined = values === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next === undefined) values += 1;
      else command = next;
    }
  }
  return { command, options: options().filter((each) => !each.hidden), values, waiting };
}

function valuesOf(of: Option | Argument, targetNames: readonly string[]): Candidates {
  if (of.argChoices !== undefined) return { words: of.argChoices.map((word) => ({ word, description: "" })), files: false };
  const name = "flags" in of ? (/<([^>]+)>/.exec(of.flags)?.[1] ?? "") : of.name();
  const isTarget = "flags" in of ? of.long === "--target" : name === "target";
  if (isTarget) return { words: targetNames.map((word) => ({ word, description: "target" })), files: false };
  return FILE_LIKE.test(name.replace("...", "")) ? FILES : NOTHING;
}

const isNamed =
  (flag: string) =>
  ({ long, short }: Option): boolean =>
    long === flag || short === flag;

const flagsOf = ({ long, description }: Option): Candidate[] => (long === undefined || long === null ? [] : [{ word: long, description }]);

const visibleCommands = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    // Skips the built-in `help` command.
    .filter((each) => command.commands.includes(each))
    .map((each) => ({ word: each.name(), description: each.summary() || each.description() }));

const beginning = ({ words, files }: Candidates, typed: string): Candidates => ({
  words: words.filter(({ word }) => word.startsWith(typed)),
  files,
});

const prefixed = ({ words, files }: Candidates, prefix: string): Candidates => ({
  words: words.map(({ word, description }) => ({ word: prefix + word, description })),
  files,
});
