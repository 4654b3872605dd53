import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";

/** What `--help` prints, as wide as a page. */
async function helpOf(...words: string[]): Promise<string> {
  let text = "";
  const write = (part: string) => (text += part);
  const stdout = { write, isTTY: false };
  expect(
    await runCli([...words, "--help"], {
      environment: {},
      folder: ".",
      stdout,
      stderr: stdout,
      now: () => new Date(0),
      stop: new AbortController().signal,
    }),
  ).toBe(0);
  return text.trim();
}

const commands = [...(await helpOf()).matchAll(/^ {2}([a-z]+)(?: \[| <| {2})/gm)]
  .map(([, name = ""]) => name)
  .filter((name) => name !== "help");

/** `npx vitest run test/cli/help-pages.test.ts -u` writes them. */
it.each(commands)("the page of %s is what its help says", async (command) => {
  const text = `# plumbline ${command}\n\n\`\`\`\n${await helpOf(command)}\n\`\`\`\n`;
  await expect(text).toMatchFileSnapshot(`../../docs/commands/${command}.md`);
});

it("no page is of a command that is gone", () => {
  expect(commands.length).toBeGreaterThan(20);
  expect(readdirSync("docs/commands").sort()).toEqual(commands.map((command) => `${command}.md`).sort());
});
