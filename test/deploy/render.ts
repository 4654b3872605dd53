import { stringify } from "yaml";

type Values = Readonly<Record<string, unknown>>;

/**
 * The part of Helm's template language that the chart is written in: values, `quote`, `toYaml … | nindent`, `.Files.Get … | nindent`,
 * `if (not) … else … end`.
 * @param files texts of the chart's files by their names
 * @throws Error for anything else, so that the chart cannot leave what is tested.
 */
export function render(template: string, values: Values, release: string, files: (name: string) => string): string {
  const context = { Values: values, Release: { Name: release } };
  const lines: string[] = [];
  /** Of each `if` that is open, whether what stands here is shown. */
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

/** Empty lists, maps and texts, and nought, are false to templates. */
function holds(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function fill(line: string, context: Values, files: (name: string) => string): string {
  const file = /^\s*\{\{- \.Files\.Get "([^"]+)" \| nindent (\d+) \}\}$/.exec(line);
  if (file !== null) return files(file[1] ?? "").replaceAll(/^/gm, " ".repeat(Number(file[2])));
  const block = /^\s*\{\{- toYaml (\.\S+) \| nindent (\d+) \}\}$/.exec(line);
  if (block !== null) {
    const indent = " ".repeat(Number(block[2]));
    return stringify(lookUp(block[1] ?? "", context))
      .trimEnd()
      .replaceAll(/^/gm, indent);
  }
  const filled = line.replaceAll(/\{\{ (\.\S+)( \| quote)? \}\}/g, (_, path: string, quote?: string) => {
    const value = lookUp(path, context);
    if (value === undefined) throw new Error(`there is no ${path}`);
    return quote === undefined ? String(value) : JSON.stringify(String(value));
  });
  if (filled.includes("{{")) throw new Error(`not understood: ${line}`);
  return filled;
}

function lookUp(path: string, context: Values): unknown {
  return path
    .slice(1)
    .split(".")
    .reduce<unknown>((value, name) => (value as Values | undefined)?.[name], context);
}
