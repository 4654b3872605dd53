import { createHash } from "node:crypto";
import { stringify } from "yaml";

type Values = Readonly<Record<string, unknown>>;

/**
 * Renders the part of Helm's template language that the chart uses: values, `default`, `quote`, `toYaml … | nindent`,
 * `toYaml … | sha256sum`, `.Files.Get … | replace … | nindent`, `if (not) … else … end`.
 * @param files returns the text of a file of the chart
 * @throws Error for anything else, so that the chart uses only tested parts.
 */
export function render(template: string, values: Values, release: string, files: (name: string) => string): string {
  const context = { Values: values, Release: { Name: release } };
  const lines: string[] = [];
  /** For each open `if`: its lines are shown. */
  const shown: boolean[] = [];
  for (const line of template.split("\n")) {
    const condition = /^\{\{- if (not )?(\.\S+) \}\}$/.exec(line);
    if (condition !== null) shown.push(holds(lookUp(condition[2] ?? "", context)) === (condition[1] === undefined));
    else if (line === "{{- else }}") shown.push(!shown.pop());
    else if (line === "{{- end }}") shown.pop();
    else if (shown.every(Boolean)) lines.push(fill(line, context, files));
  }
  if (shown.length !== 0) throw new Error("an if without its end");
  return lines.join("\n");
}

/** Empty lists, maps and texts, and 0, are false in templates. */
function holds(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function fill(line: string, context: Values, files: (name: string) => string): string {
  const file = /^\s*\{\{- \.Files\.Get "([^"]+)"(?: \| replace "([^"]+)" (\.\S+))? \| nindent (\d+) \}\}$/.exec(line);
  if (file !== null) {
    const [, name = "", from, to = "", indent] = file;
    const text = from === undefined ? files(name) : files(name).replaceAll(from, String(lookUp(to, context)));
    return text.replaceAll(/^/gm, " ".repeat(Number(indent)));
  }
  const block = /^\s*\{\{- toYaml (\.\S+) \| nindent (\d+) \}\}$/.exec(line);
  if (block !== null) {
    const indent = " ".repeat(Number(block[2]));
    return toYaml(lookUp(block[1] ?? "", context)).replaceAll(/^/gm, indent);
  }
  const summed = line.replaceAll(/\{\{ toYaml (\.\S+) \| sha256sum \}\}/g, (_, path: string) =>
    createHash("sha256")
      .update(toYaml(lookUp(path, context)))
      .digest("hex"),
  );
  const filled = summed.replaceAll(
    /\{\{ (\.\S+)(?: \| default (\.\S+))?( \| quote)? \}\}/g,
    (_, path: string, other?: string, quote?: string) => {
      const first = lookUp(path, context);
      const value = other === undefined || holds(first) ? first : lookUp(other, context);
      if (value === undefined) throw new Error(`there is no ${path}`);
      return quote === undefined ? String(value) : JSON.stringify(String(value));
    },
  );
  if (filled.includes("{{")) throw new Error(`not understood: ${line}`);
  return filled;
}

/** Sorts the keys of maps and writes no newline at the end, as Helm does. */
function toYaml(value: unknown): string {
  return stringify(value, { sortMapEntries: true, lineWidth: 0, indentSeq: false }).trimEnd();
}

function lookUp(path: string, context: Values): unknown {
  return path
    .slice(1)
    .split(".")
    .reduce<unknown>((value, name) => (value as Values | undefined)?.[name], context);
}
