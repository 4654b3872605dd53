import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { helpOf, helpPages } from "./help.js";

const pages = await helpPages();
const commands = [...pages.keys()].filter((name) => !name.includes(" "));

/** `npx vitest run test/cli/help-pages.test.ts -u` updates the pages. */
it.each(commands)("docs/commands contains the help of %s", async (command) => {
  const helps = [...pages].filter(([name]) => name === command || name.startsWith(`${command} `));
  const text = helps.map(([name, help]) => `${name === command ? "#" : "##"} plumbline ${name}\n\n\`\`\`\n${help}\n\`\`\`\n`).join("\n");
  await expect(text).toMatchFileSnapshot(`../../docs/commands/${command}.md`);
});

it("docs/commands has a page for every command and no other page", () => {
  expect(commands.length).toBeGreaterThan(20);
  expect(readdirSync("docs/commands").sort()).toEqual(commands.map((command) => `${command}.md`).sort());
});

it("lists each command on one line", async () => {
  const lines = (await helpOf()).split("\n");
  for (const command of commands) {
    const at = lines.findIndex((line) => line.startsWith(`  ${command} `));
    expect(lines[at]?.length, command).toBeLessThanOrEqual(80);
    expect(lines[at + 1] ?? "", command).not.toMatch(/^ {3}/);
  }
});

it.each([...pages])("the help of %s has a description of one sentence and two examples", (_, help) => {
  const [, description = ""] = help.split("\n\n");
  expect(description).toMatch(/^[A-Z][a-z]+s .*\.$/s);
  expect(description.split(/\.\s/).length).toBe(1);
  const examples = [...help.matchAll(/^ {2}\$ (?:plumbline .* \| )?plumbline (\w+)/gm)].map(([, name]) => name);
  expect(examples).toHaveLength(2);
  expect(commands).toEqual(expect.arrayContaining(examples));
});

const examples = [...pages.values()].flatMap((help) => [...help.matchAll(/^ {2}\$ (.*)$/gm)].flatMap(([, line = ""]) => line.split(" | ")));

it.each([...new Set(examples)])("the example %s uses existing options", (example) => {
  const line = example.replace("plumbline ", "");
  const [command = "", help = ""] = [...pages].findLast(([name]) => line === name || line.startsWith(`${name} `)) ?? [];
  expect(command).not.toBe("");
  const listed = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
  expect(listed).toEqual(expect.arrayContaining([...line.matchAll(/ (--[a-z-]+)/g)].map(([, flag]) => flag)));
});
