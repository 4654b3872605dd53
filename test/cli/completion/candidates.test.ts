import { Argument, Command, Option } from "commander";
import { expect, it } from "vitest";
import { candidatesFor } from "../../../src/cli/completion/candidates.js";

const program = new Command("plumbline").option("--config <file>", "which file").option("--no-color", "plain");
program
  .command("plan")
  .description("look")
  .option("--target <name>", "only this")
  .addOption(new Option("--format <format>", "how").choices(["text", "json"]))
  .option("--out <file>", "where")
  .option("--allow <guard=value>", "once");
program.command("pause").description("hold").argument("[target]").option("--all", "every one");
program.command("verdict").argument("[hash...]").option("--path <file...>", "files");
program.command("import").option("--out <dir>", "folder");
program.command("completion").addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
program.command("complete", { hidden: true });
program.command("pr").command("comment").description("say it");
const targets = ["edge", "core"];

const answer = (...words: string[]): string[] => {
  const { words: found, files } = candidatesFor(program, words, targets);
  return [...found.map(({ word }) => word), ...(files ? [":files"] : [])];
};

it.each<[string[], string[]]>([
  [["p"], ["plan", "pause", "pr"]],
  [["compl"], ["completion"]],
  [["pr", ""], ["comment"]],
  [["plan", "--f"], ["--format"]],
  [["plan", "--no"], ["--no-color"]],
  [
    ["plan", "--format", ""],
    ["text", "json"],
  ],
  [["plan", "--format", "j"], ["json"]],
  [["plan", "--format=t"], ["--format=text"]],
  [["plan", "--target", ""], targets],
  [["plan", "--target", "edge", "--target", "c"], ["core"]],
  [["plan", "--target=e"], ["--target=edge"]],
  [["plan", "--out", ""], [":files"]],
  [["plan", "--allow", ""], []],
  [["plan", ""], []],
  [["--config", ""], [":files"]],
  [["--config", "x.yaml", "pl"], ["plan"]],
  [["--no-color", "pl"], ["plan"]],
  [["pause", ""], targets],
  [["pause", "edge", ""], []],
  [["verdict", "--path", ""], [":files"]],
  [["import", "--out", ""], [":files"]],
  [
    ["completion", ""],
    ["bash", "zsh"],
  ],
  [["nothing", ""], []],
])("%j is completed by %j", (words, expected) => {
  expect(answer(...words)).toEqual(expect.arrayContaining(expected));
  expect(answer(...words).length).toBe(expected.length);
});

it("accepts words as bash splits them", () => {
  expect(answer("plan", "--format", "=", "j")).toEqual(["--format=json"]);
  expect(answer("plan", "--target", "=")).toEqual(["--target=edge", "--target=core"]);
});
