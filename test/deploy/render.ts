import { stringify } from "yaml";

type Values = Readonly<Record<string, unknown>>;

/**
 * The part of Helm's template language that the chart is written in: values, `quote`, `toYaml … | nindent`, `if … end`.
 * @throws Error for anything else, so that the chart cannot leave what is tested.
 */
export function render(template: string, values: Values, release: string): string {
  const context = { Values: values, Release: { Name: release } };
  const lines: string[] = [];
  let hidden = 0;
  let depth = 0;
  for (const line of template.split("\n")) {
    const condition = /^\{\{- if (\.\S+) \}\}$/.exec(line);
    if (condition !== null) {
      depth += 1;
      if (hidden > 0 || !holds(lookUp(condition[1] ?? "", context))) hidden += 1;
    } else if (line === "{{- end }}") {
      depth -= 1;
      hidden = Math.max(0, hidden - 1);
    } else if (hidden === 0) lines.push(fill(line, context));
  }
  if (depth !== 0) throw new Error("an if without its end");
  return lines.join("\n");
}

/** Empty lists and texts, and nought, are false to templates. */
function holds(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function fill(line: string, context: Values): string {
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
