import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { helpOf, helpPages } from "./help.js";

const programHelp = await helpOf();
const pages = await helpPages();
const commands = [...pages.keys()].filter((name) => !name.includes(" "));

/** `npx vitest run test/cli/help-pages.test.ts -u` updates the page. */
it("docs/commands.md contains the help of every command", async () => {
  expect(commands.length).toBeGreaterThan(20);
  const sections = [...pages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, help]) => `${"#".repeat(name.split(" ").length + 1)} plumbline ${name}\n\n\`\`\`\n${help}\n\`\`\`\n`);
  const intro = `# Commands\n\nThe output of \`plumbline --help\` and of \`plumbline COMMAND --help\` for each command.\n\n\`\`\`\n${programHelp}\n\`\`\`\n`;
  await expect([intro, ...sections].join("\n")).toMatchFileSnapshot("../../docs/commands.md");
});

it("lists each command on one line", async () => {
  const lines = programHelp.split("\n");
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

it.each([...pages])("the help of %s names a page of the documentation that describes the command", (name, help) => {
  const [, page = ""] = /^Documentation: (docs\/[a-z-]+\.md)$/m.exec(help) ?? [];
  expect(readFileSync(page, "utf8")).toContain(`plumbline ${name}`);
});

const examples = [...pages.values()].flatMap((help) => [...help.matchAll(/^ {2}\$ (.*)$/gm)].flatMap(([, line = ""]) => line.split(" | ")));

it.each([...new Set(examples)])("the example %s uses existing options", (example) => {
  const line = example.replace("plumbline ", "");
  const [command = "", help = ""] = [...pages].findLast(([name]) => line === name || line.startsWith(`${name} `)) ?? [];
  expect(command).not.toBe("");
  const listed = [...`${help}\n${programHelp}`.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
  expect(listed).toEqual(expect.arrayContaining([...line.matchAll(/ (--[a-z-]+)/g)].map(([, flag]) => flag)));
});
