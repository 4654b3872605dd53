import { type CodeAction, CodeActionKind, type Diagnostic } from "vscode-languageserver/node";
import { rewritten } from "./name-edits.js";
import type { Tokens } from "./tokens.js";

const SUGGESTION = /Did you mean "((?:[^"\\]|\\.)*)"\?/;

/** Returns a fix for each diagnostic that suggests another word: it replaces the wrong word. */
export function quickFixes(uri: string, tokens: Tokens, diagnostics: readonly Diagnostic[]): CodeAction[] {
  return diagnostics.flatMap((diagnostic) => {
    const { message, range, source } = diagnostic;
    const by = SUGGESTION.exec(textOf(message))?.[1];
    if (source !== "plumbline" || by === undefined) return [];
    const quoted = new Set(
      [
        ...textOf(message)
          .replace(SUGGESTION, "")
          .matchAll(/"([^"]*)"/g),
      ].map(([, word]) => word),
    );
    const wrong = tokens
      .all()
      .filter(({ start, scalar }) => tokens.position(start).line >= range.start.line && quoted.has(scalar.value) && scalar.value !== by)
      .sort((a, b) => a.start - b.start)
      .find(({ start }) => start >= tokens.offset(range.start));
    if (wrong === undefined || tokens.position(wrong.start).line > range.end.line) return [];
    const { start, end, text } = rewritten(wrong, by);
    const edit = { changes: { [uri]: [{ range: tokens.range(start, end), newText: text }] } };
    return [{ title: `Change to "${by}"`, kind: CodeActionKind.QuickFix, diagnostics: [diagnostic], isPreferred: true, edit }];
  });
}

function textOf(message: Diagnostic["message"]): string {
  return typeof message === "string" ? message : message.value;
}
