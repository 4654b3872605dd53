import { type Diagnostic, DiagnosticSeverity } from "vscode-languageserver/node";
import type { PlumblineError } from "../../core/errors.js";
import { printable } from "../../core/printable.js";
import { referenceOf } from "./error-links.js";
import type { Checked } from "./workspace.js";

/**
 * Returns diagnostics by file name. Errors without a file appear at the top of `fallback`, the configuration.
 * @param lineOf Returns the text of a line (0-based) of a file. Undefined if not known.
 */
export function diagnosticsOf(
  { errors, warnings }: Pick<Checked, "errors" | "warnings">,
  fallback: string,
  lineOf: (file: string, line: number) => string | undefined,
): ReadonlyMap<string, readonly Diagnostic[]> {
  const found = new Map<string, Diagnostic[]>();
  const add = (error: PlumblineError, severity: DiagnosticSeverity): void => {
    const file = error.where.file ?? fallback;
    const line = Math.max(0, (error.where.line ?? 1) - 1);
    const start = Math.max(0, (error.where.column ?? 1) - 1);
    const range = { start: { line, character: start }, end: { line, character: endOf(lineOf(file, line), start) } };
    const message = printable(error.next === undefined ? error.message : `${error.message} ${error.next}`);
    const href = referenceOf(error.code);
    const link = href === undefined ? {} : { codeDescription: { href } };
    const list = found.get(file) ?? [];
    found.set(file, [...list, { range, severity, code: error.code, ...link, source: "plumbline", message }]);
  };
  for (const error of errors) add(error, DiagnosticSeverity.Error);
  for (const warning of warnings) add(warning, DiagnosticSeverity.Warning);
  return found;
}

/** Returns the end of the word or quoted text that begins at `start`, without the colon of a key. */
function endOf(text: string | undefined, start: number): number {
  const rest = text?.slice(start) ?? "";
  const word = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,#\]}]+?(?=:?(?:[\s,\]}]|$)))/.exec(rest)?.[0] ?? " ";
  return start + word.length;
}
