import type { PlumblineError } from "../../src/core/errors.js";
import type { LoadedDesired } from "../../src/desired/loaded.js";
import type { DesiredNode } from "../../src/desired/model.js";

/** Desired trees as indented XML; `closed`, `place` (not declared) and directives are attributes. */
export function printLoaded({ targets, expiredIgnores }: LoadedDesired): string {
  const lines: string[] = [];
  for (const [name, target] of targets) {
    lines.push(`<!-- ${name} -->`);
    for (const path of target.exclusive)
      lines.push(`<!-- exclusive ${path.toString()}${target.allowEmpty.includes(path) ? " (may be empty)" : ""} -->`);
    for (const ignore of target.ignores)
      lines.push(`<!-- ignore ${ignore.path} (${ignore.owner}: ${ignore.reason}; until ${ignore.until ?? "ever"}) -->`);
    print(target.root, "", lines);
  }
  for (const { target, ignore } of expiredIgnores) lines.push(`<!-- expired ${target} ${ignore.path} -->`);
  return `${lines.join("\n")}\n`;
}

function print(node: DesiredNode, indent: string, lines: string[]): void {
  const attributes = [
    ...(node.name === undefined ? [] : [`name=${JSON.stringify(node.name)}`]),
    ...(node.declared ? [] : ["place"]),
    ...(node.prunes ? ["closed"] : []),
    ...[...(node.attributes ?? [])].map(([key, value]) => `@${key}=${JSON.stringify(value)}`),
    ...(node.handling === undefined ? [] : [JSON.stringify(node.handling)]),
  ];
  const head = [node.tag, ...attributes].join(" ");
  if (node.children.length === 0) {
    lines.push(node.text === "" ? `${indent}<${head}/>` : `${indent}<${head}>${JSON.stringify(node.text).slice(1, -1)}</${node.tag}>`);
    return;
  }
  lines.push(`${indent}<${head}>`);
  for (const child of node.children) print(child, `${indent}  `, lines);
  lines.push(`${indent}</${node.tag}>`);
}

/** Two lines for each error or warning: place, code and message; then the next step. */
export function printProblems(problems: readonly PlumblineError[]): string {
  return problems
    .map(({ where, code, message, next }) => {
      const place = [where.file, where.line, where.column].filter((part) => part !== undefined).join(":");
      return `${place} ${code}: ${message}\n    ${next ?? ""}\n`;
    })
    .join("");
}
