import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryAt } from "./citations/repository.js";
import { helpOf, helpPages } from "./cli/help.js";
import { markersPerThousand, proseOf } from "./prose.js";

const LIMIT = 12;

it("counts marker words and phrases, but not in code and links", () => {
  expect(markersPerThousand("Somebody said that nothing stands beside the one rule.")).toBeGreaterThan(600);
  expect(markersPerThousand("Show the changes that a run would make.")).toBe(0);
  expect(proseOf("a `what` b [c](https://none.example)\n```\nsomebody\n```\n")).not.toMatch(/what|none|somebody/);
});

const PAGES = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((page) => page.endsWith(".md"))
  .map((page) => join("docs", page));

it.each(["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", ...PAGES])("%s is plain English", (page) => {
  expect(markersPerThousand(proseOf(readFileSync(page, "utf8")))).toBeLessThanOrEqual(LIMIT);
});

/** Returns the comments of all TypeScript files of a folder. */
function commentsIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
  const found = texts.flatMap((text) => [...text.matchAll(/\/\*\*\s(.*?)\*\/|^\s*\/\/(?! *biome)(.*)$/gms)]);
  return found.map(([, block, line]) => (block ?? line ?? "").replace(/\n\s*\*/g, " ").trim());
}

const ROOMS = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
const COMMENT_LIMIT = 15;
const OPENS_ODDLY = /^(?:What|Who|Whom|Whose|Where|Of|By|From|With|That|Which|On|For|To|In|At|As) /;

it.each([...ROOMS.map(({ name }) => `src/${name}`), "web", "test"])("the comments of %s are plain English", (room) => {
  const comments = commentsIn(room);
  expect(comments.length).toBeGreaterThan(5);
  expect(markersPerThousand(proseOf(comments.join("\n")))).toBeLessThanOrEqual(COMMENT_LIMIT);
});

it("at most 3 percent of the comments open with a relative clause or a preposition", () => {
  const comments = commentsIn("src");
  expect(comments.filter((comment) => OPENS_ODDLY.test(comment)).length / comments.length).toBeLessThanOrEqual(0.03);
});

const REPOSITORY = repositoryAt(".");
const PROGRAM_FILES = /\.(?:mjs|py|sh|ya?ml|go|tf|css|service|npmrc)$|^vitest\.config\.ts$|(?:^|\/)(?:Dockerfile|\.dockerignore)$/;
const DIRECTIVE = /^(?:shellcheck|noqa|yaml-language-server|biome-ignore|syntax=)/;

/** Returns the comments and docstrings of a program or configuration file. Consecutive lines are one comment. */
function programComments(path: string): string[] {
  const text = REPOSITORY.text(path);
  if (!PROGRAM_FILES.test(path) && !/^#!.*sh\n/.test(text)) return [];
  const usesSlashes = /\.(?:mjs|ts|go|css)$/.test(path);
  const lines = usesSlashes ? /(?:^[ \t]*\/\/.*(?:\n|$))+/gm : /(?:^[ \t]*#(?!!).*(?:\n|$))+|(?<=\S {1,2})# .*$/gm;
  const blocks = usesSlashes ? /^[ \t]*\/\*\*?\s(.*?)\*\//gms : /(?<docstring>^[ \t]*)?"""(.*?)"""/gms;
  const found = [
    ...[...text.matchAll(lines)].map(([comment]) => comment.replaceAll(/^\s*(?:#+|\/\/)/gm, " ")),
    ...[...text.matchAll(blocks)]
      .filter(({ groups }) => usesSlashes || (path.endsWith(".py") && groups?.docstring !== undefined))
      .map((match) => match.at(-1) ?? ""),
  ];
  return found
    .map((comment) => comment.replaceAll(/(?:^|\n)\s*\*?/g, " ").trim())
    .filter((comment) => comment !== "" && !DIRECTIVE.test(comment));
}

const PROGRAMS = [".ci", ".github", "bench", "ci", "deploy", "desired-state", "packaging", "test", "web", "the root folder"];

it.each(PROGRAMS)("the comments of programs and configuration files in %s are plain English", (folder) => {
  const isInside = (path: string): boolean => (folder === "the root folder" ? !path.includes("/") : path.startsWith(`${folder}/`));
  const comments = [...REPOSITORY.files].filter(isInside).flatMap(programComments);
  expect(comments.length).toBeGreaterThan(1);
  expect(markersPerThousand(proseOf(comments.join("\n")))).toBeLessThanOrEqual(COMMENT_LIMIT);
  expect(comments.filter((comment) => OPENS_ODDLY.test(comment)).length / comments.length).toBeLessThanOrEqual(0.03);
});

/** Returns the string literals of a folder that have at least three words: messages, labels and descriptions. */
function messagesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  return files.flatMap((file) => {
    const code = readFileSync(join(folder, file), "utf8").replaceAll(/\/\*\*.*?\*\/|^\s*\/\/.*$/gms, "");
    const literals = [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/gs)];
    const texts = literals.map(([, quoted, template]) => (quoted ?? template ?? "").replaceAll(/\$\{[^}]*\}/g, " "));
    return texts.filter((text) => /[a-z]+ [a-z]+ [a-z]+/.test(text) && !SQL.test(text));
  });
}

const SQL = /^\s*(?:select|insert|update|delete|with|create|alter) /;
it.each(ROOMS)("the messages of src/$name are plain English", ({ name }) => {
  const messages = messagesIn(join("src", name));
  expect(messages.length).toBeGreaterThan(5);
  expect(markersPerThousand(messages.join("\n"))).toBeLessThanOrEqual(LIMIT);
});

/** Returns the different descriptions of a JSON Schema. */
function descriptionsIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { description } = schema as { readonly description?: unknown };
  const own = typeof description === "string" ? [description] : [];
  return [...new Set([...own, ...Object.values(schema).flatMap(descriptionsIn)])];
}

it.each(readdirSync("schemas").filter((file) => file.endsWith(".schema.json")))("the descriptions of %s are plain English", (file) => {
  const descriptions = descriptionsIn(JSON.parse(readFileSync(join("schemas", file), "utf8")));
  expect(descriptions.length).toBeGreaterThan(5);
  expect(markersPerThousand(descriptions.join("\n"))).toBeLessThanOrEqual(LIMIT);
});

it("the help of all commands is plain English", async () => {
  const text = [await helpOf(), ...(await helpPages()).values()].join("\n");
  expect(text.length).toBeGreaterThan(20_000);
  expect(markersPerThousand(text)).toBeLessThanOrEqual(LIMIT);
});

it("the unreleased section of the changelog has at most 40 short entries in four groups", () => {
  const [, unreleased = ""] = /\n## Unreleased\n(.*?)\n## /s.exec(readFileSync("CHANGELOG.md", "utf8")) ?? [];
  const entries = unreleased.split(/\n- /).slice(1);
  expect(entries.length).toBeLessThanOrEqual(40);
  expect(entries.filter((entry) => (entry.split(/\n\n/)[0] ?? "").split(/\s+/).length > 25)).toEqual([]);
  const groups = [...unreleased.matchAll(/^### (.*)$/gm)].map(([, group]) => group);
  expect(groups.filter((group) => !["Added", "Changed", "Fixed", "Security"].includes(group ?? ""))).toEqual([]);
});
