// `npm run release -- cut VERSION [DAY]` turns the section "Unreleased" into a version, in package.json, the lock file and CHANGELOG.md.
// `npm run release -- notes TAG` prints the changelog of a version. It fails if tag, package, lock file and changelog differ, so the
// publishing workflow runs it first.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const HEADING = /^## (?:Unreleased|(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2}))$/;

/** The sections of a changelog, newest first: their version (undefined: "Unreleased"), day and text. */
export function sectionsOf(changelog) {
  const sections = [];
  for (const line of changelog.split("\n")) {
    if (line.startsWith("## ")) {
      const [isHeading, version, day] = HEADING.exec(line) ?? [];
      if (isHeading === undefined) throw new Error(`CHANGELOG.md: "${line}" is neither "## Unreleased" nor "## 1.2.3 - 2026-01-31"`);
      sections.push({ version, day, lines: [] });
    } else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: lines.join("\n").trim() }));
}

const parts = (version) => version.split(".").map(Number);

/** Returns a number above 0 if `a` is the newer version. */
export function compareVersions(a, b) {
  const [left, right] = [parts(a), parts(b)];
  return left.map((part, index) => part - right[index]).find((difference) => difference !== 0) ?? 0;
}

/**
 * The changed files by their names.
 * @param files package.json, package-lock.json and CHANGELOG.md by name
 */
export function cut(files, version, day) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`"${version}" is no version such as 1.2.3`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) throw new Error(`"${day}" is no day such as 2026-01-31`);
  const [open, newest] = sectionsOf(files["CHANGELOG.md"]);
  if (open === undefined || open.version !== undefined || open.text === "") throw new Error('nothing stands under "Unreleased"');
  if (newest !== undefined && compareVersions(version, newest.version) <= 0) throw new Error(`${newest.version} is released already`);
  const withVersion = (text) => text.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`);
  return {
    "package.json": withVersion(files["package.json"]),
    // Its own, and that of the package at its root.
    "package-lock.json": withVersion(files["package-lock.json"]).replace(/^( {6}"version": )"[^"]*"/m, `$1"${version}"`),
    "CHANGELOG.md": files["CHANGELOG.md"].replace("\n## Unreleased\n", `\n## Unreleased\n\n## ${version} - ${day}\n`),
  };
}

/** Returns the changelog of a tag's version if tag, package, lock file and changelog agree. */
export function notesOf(files, tag) {
  const lock = JSON.parse(files["package-lock.json"]);
  const newest = sectionsOf(files["CHANGELOG.md"]).find(({ version }) => version !== undefined);
  const named = {
    tag: tag.replace(/^v/, ""),
    "package.json": JSON.parse(files["package.json"]).version,
    "package-lock.json": lock.version,
    "its root": lock.packages[""].version,
    "CHANGELOG.md": newest?.version,
  };
  if (new Set(Object.values(named)).size > 1) throw new Error(`versions do not agree: ${JSON.stringify(named)}`);
  return `${newest.text}\n`;
}

/** A release has a recorded compatibility contract (test/promise.test.ts). */
function requireContract(tag) {
  const file = `test/promise/${tag.replace(/^v/, "")}/contract.json`;
  if (!existsSync(file)) throw new Error(`${file} is missing. Record it: PLUMBLINE_PROMISE=record npx vitest run test/promise.test.ts`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL("..", import.meta.url)));
  const files = Object.fromEntries(["package.json", "package-lock.json", "CHANGELOG.md"].map((name) => [name, readFileSync(name, "utf8")]));
  const [, , order, what = "", day = new Date().toISOString().slice(0, 10)] = process.argv;
  try {
    if (order === "notes") {
      const notes = notesOf(files, what);
      requireContract(what);
      process.stdout.write(notes);
    } else if (order === "cut") {
      for (const [name, text] of Object.entries(cut(files, what, day))) writeFileSync(name, text);
      console.log(`Read the diff, then: git commit --all --message "Version ${what}" && git tag --sign v${what} && git push --follow-tags`);
    } else throw new Error("npm run release -- cut VERSION [DAY] | notes TAG");
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
