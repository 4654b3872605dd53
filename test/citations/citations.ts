import { posix } from "node:path";
import { anchorsOf, type Repository, withoutBlocks } from "./repository.js";

/** Documents that were never in the repository, and numbers of their sections. */
const FORMER =
  /\b(?:PLAN-AND-APPLY|INSIGHT\.md|(?:FORMAT|DESIGN|CLI)(?:\.md\b| \d)|facts(?: \d|\/\w|\.md)|facts on [A-Z]|finding \d|shared\/(?:facts|data|spec|openstack|hooks)\b)/;

/** A path of the repository, or a file of code or text by its name; an anchor may follow a page. */
const MENTION =
  /(?<![\w@/.:$}~-])((?:(?:src|test|bench|docs|schemas|web|ci|deploy|packaging)\/[\w./*<>-]*[\w>*]|[\w./-]*\w\.(?:tsx?|mjs|md)))(#[\w-]+)?(?![\w/-]*[{$(])/g;
const LINK = /\]\((?!<)([^)\s]*)\)/g;
const DECISIONS = "docs/contributing/decisions.md";
const DECISION = /\b(?:ADR|decision) (\d{1,4})\b/g;

/**
 * Returns the broken citations of one file, each as `file:line: reason`. In code, only comments are checked, and pages to which program
 * texts refer users.
 */
export function brokenCitations(path: string, text: string, repository: Repository): string[] {
  const lines = path.endsWith(".md") ? withoutBlocks(text).split("\n") : commentsOf(path, text);
  const code = path.startsWith("src/") ? text.split("\n") : [];
  return lines.flatMap((line, index) => {
    const broken = line === "" ? brokenPages(code[index] ?? "", path, repository) : brokenIn(line, path, repository);
    return broken.map((what) => `${path}:${index + 1}: ${what}`);
  });
}

function brokenPages(line: string, path: string, repository: Repository): string[] {
  return [...line.matchAll(MENTION)].flatMap(([, to = "", anchor]) =>
    to.startsWith("docs/") ? brokenMention(to, anchor, path, repository) : [],
  );
}

/** The comment of each line, or undefined. Comments are on their own lines or follow code after `//`. */
function commentsOf(path: string, text: string): string[] {
  const isScript = /\.(?:py|sh|ya?ml)$/.test(path);
  return text.split("\n").map((line) => {
    if (isScript) return /^\s*#(.*)/.exec(line)?.[1] ?? "";
    if (path.endsWith(".json")) return line;
    return /^\s*(?:\/\*\*?|\*(?=[ /]|$)|\/\/|\{?\/\*)(.*)/.exec(line)?.[1] ?? / \/\/ (.*)$/.exec(line)?.[1] ?? "";
  });
}

function brokenIn(line: string, path: string, repository: Repository): string[] {
  const former = FORMER.exec(line)?.[0];
  const isPage = path.endsWith(".md");
  return [
    ...(former === undefined ? [] : [`"${former}" names a document that is not in the repository`]),
    ...(isPage ? [...line.matchAll(LINK)].flatMap(([, link = ""]) => brokenLink(link, path, repository)) : []),
    ...[...(isPage ? line.replace(LINK, "]") : line).matchAll(MENTION)].flatMap(([, to = "", anchor]) =>
      brokenMention(to, anchor, path, repository),
    ),
    ...[...line.matchAll(DECISION)].flatMap(([, number = ""]) => brokenDecision(number, repository)),
  ];
}

function brokenLink(link: string, page: string, repository: Repository): string[] {
  if (/^[a-z]+:/i.test(link)) return [];
  const [to = "", anchor] = link.split("#");
  const path = to === "" ? page : posix.normalize(posix.join(posix.dirname(page), to)).replace(/\/$/, "");
  if (!repository.files.has(path) && !repository.folders.has(path)) return [`the link ${link} leads nowhere`];
  return anchor === undefined ? [] : brokenAnchor(path, anchor, repository);
}

function brokenMention(to: string, anchor: string | undefined, from: string, repository: Repository): string[] {
  const path = targetOf(to, from, repository);
  if (path === undefined) return [`${to} is not in the repository`];
  return anchor === undefined ? [] : brokenAnchor(path, anchor.slice(1), repository);
}

/** The file or folder that a mention refers to: from the root, relative to the citing file, or by the end of a path. */
function targetOf(to: string, from: string, { files, folders }: Repository): string | undefined {
  const open = to.search(/[<*]/);
  const whole = open === -1 ? to : to.slice(0, to.lastIndexOf("/", open));
  const beside = posix.normalize(posix.join(posix.dirname(from), whole));
  const found = [whole, beside].find((path) => files.has(path) || folders.has(path));
  if (found !== undefined || /^(?:src|test|bench|docs|schemas|web|ci|deploy|packaging)\//.test(whole)) return found;
  return [...files].find((path) => path.endsWith(`/${whole}`));
}

function brokenAnchor(path: string, anchor: string, { files, text }: Repository): string[] {
  if (!path.endsWith(".md") || !files.has(path)) return [`${path} is no page with headings`];
  return anchorsOf(text(path)).has(anchor) ? [] : [`${path} has no heading #${anchor}`];
}

function brokenDecision(number: string, { files, text }: Repository): string[] {
  const found = files.has(DECISIONS) && text(DECISIONS).includes(`\n## ${number}. `);
  return found ? [] : [`there is no decision ${number}`];
}
