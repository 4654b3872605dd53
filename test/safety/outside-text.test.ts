import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loggerFor } from "../../src/cli/logger.js";
import { safeOutput } from "../../src/cli/safe-output.js";
import { joinLines, printable } from "../../src/core/printable.js";
import { CLEAR_LINE, coloured } from "../../src/report/style.js";
import { type CliWorld, openWorld } from "../cli/world.js";

/** Every way to print from a Node process. */
const PRINTS =
  /process\.std(?:out|err)|console\.\w+\(|writeSync\(|\/dev\/(?:std(?:out|err)|tty)|["']inherit["']|emitWarning|_rawDebug|debuglog|createWriteStream|StreamMessageWriter\(/g;

/** Files of src that print without `safeOutput`: how often, and why that is safe. */
const ALLOWED: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  "src/cli.ts": [7, "prints constants, the version and process.execPath; the handler of stream errors does not print"],
  "src/cli/start.ts": [
    3,
    "passes the streams to runCli, which wraps them in safeOutput, and prints that a proxy variable is invalid, without its value",
  ],
  "src/cli/quickstart.ts": [5, "wraps the streams in safeOutput, or passes them to runCli; two uses check for a terminal"],
  "src/cli/commands/lsp.ts": [2, "writes JSON-RPC messages for an editor, in which JSON escapes control characters"],
  "src/cli/lsp/server.ts": [1, "sends a JSON-RPC message to the editor"],
};

describe("output", () => {
  it("is printed only through safeOutput, except in the listed files", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((name) => join("src", name));
    const found = files
      .filter((file) => file.endsWith(".ts"))
      .map((file) => [file, readFileSync(file, "utf8").match(PRINTS)?.length ?? 0] as const)
      .filter(([, count]) => count > 0);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(Object.entries(ALLOWED).map(([file, [count]]) => [file, count])));
  });

  it("is wrapped by runCli before any command gets it", () => {
    expect(readFileSync("src/cli/program.ts", "utf8")).toContain("stdout: safeOutput(of.stdout), stderr: safeOutput(of.stderr)");
  });
});

/** Control characters that a terminal obeys, and characters that change the direction of text. */
const OBEYED = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u001b[2K", "\u001b[31m", "\r", "\n", "\b", "\u009b2J", "\u007f", "\u0007", "\u202e", "\u2028", "\u0085", "\ue000"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 2 }),
  ),
});

function written(write: (output: ReturnType<typeof safeOutput>) => void): string {
  let text = "";
  write(safeOutput({ isTTY: true, write: (part) => (text += part) }));
  return text;
}

describe("text from outside", () => {
  it("has no control characters, whatever it contains", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(printable(text)).not.toMatch(/\n|\t/);
        expect(printable(text)).not.toMatch(OBEYED);
        expect(written((output) => output.write(text)).replaceAll(/\r\n|\t/g, "")).not.toMatch(OBEYED);
      }),
    );
  });

  it("cannot add a control sequence or a line to a coloured report or a log line", () => {
    fc.assert(
      fc.property(hostile, hostile, (name, message) => {
        const report = written((output) => output.write(joinLines([`  ${coloured("green", `+ ${name}`)}`, message])));
        expect(report.split("\n")).toHaveLength(3);
        expect(report.split("\u001b")).toHaveLength(3);
        expect(report.replace("\u001b[32m", "").replace("\u001b[39m", "").replaceAll("\t", "")).not.toMatch(OBEYED);
        const line = written((output) => loggerFor("warn", output, coloured).warn({ name }, message));
        expect(line.split("\n")).toHaveLength(2);
        expect(line.replaceAll(/^\u001b\[2K\u001b\[1G|\u001b\[(?:33|39|2|22)m/g, "").replaceAll("\t", "")).not.toMatch(OBEYED);
      }),
    );
  });

  it("does not affect the program's own colours and line control", () => {
    expect(written((output) => output.write(`${CLEAR_LINE}${coloured("red", "a")}\n`))).toBe("\u001b[2K\u001b[1G\u001b[31ma\u001b[39m\n");
  });
});

describe("a commit", () => {
  let world: CliWorld;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  it("cannot hide a pending change or colour the output with the name of a file or of its author", async () => {
    const name = "evil\u001b[2K\r\u001b[32mno changes\u009b2J\nno changes\u202e.yaml";
    const text = "target: edge\nscope: vsys1\nconfig:\n  tag: { evil: { comments: x } }\n";
    writeFileSync(join(world.folder, "desired-state/edge", name), text);
    execFileSync("git", ["-C", world.folder, "add", "-A"]);
    const author = ["-c", "user.name=a\u001b[1A\u001b[2Kb\u202e", "-c", "user.email=a@example.net"];
    execFileSync("git", ["-C", world.folder, ...author, "commit", "-q", "-m", "x\u001b[2Jy"]);
    const report = join(world.folder, "report.txt");
    for (const colours of [{ FORCE_COLOR: "1" }, { NO_COLOR: "1" }] as const) {
      const run = await world.runWords(["plan", "--report", `text=${report}`], colours);
      const all = run.out + run.err;
      expect(run.out).toContain("evil\\u001b[2K\\r\\u001b[32mno changes\\u009b2J\\nno changes\\u202e.yaml");
      expect(all.replaceAll(/\u001b\[\d+m/g, "")).not.toMatch(OBEYED);
      if ("NO_COLOR" in colours) expect(all).not.toContain("\u001b");
      expect(all).not.toContain("\u001b[32mno changes");
      expect(readFileSync(report, "utf8")).not.toMatch(OBEYED);
      expect(readFileSync(report, "utf8")).not.toMatch(/^no changes/m);
    }
    writeFileSync(join(world.folder, "desired-state/edge", name), text.replace("target: edge", "target: nowhere"));
    const invalid = await world.run("validate", { FORCE_COLOR: "1" });
    expect(invalid.err).toContain("evil\\u001b[2K");
    expect((invalid.out + invalid.err).replaceAll(/\u001b\[\d+m/g, "")).not.toMatch(OBEYED);
  });
});
