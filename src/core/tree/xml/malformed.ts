import { PlumblineError } from "../../errors.js";

/** Returns line and column of an offset (both 1-based, columns in UTF-16 code units). CR, LF and CR LF each end a line. */
function positionAt(xml: Buffer, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let at = 0; at < offset; at++) {
    if (xml[at] === 0x0a || (xml[at] === 0x0d && xml[at + 1] !== 0x0a)) {
      line++;
      start = at + 1;
    }
  }
  return { line, column: xml.toString("utf8", start, offset).length + 1 };
}

/**
 * Returns the error for a document that breaks the rules of XML at `offset`. `problem` quotes at most one character of the document, which
 * can contain secrets.
 */
export function malformed(xml: Buffer, offset: number, problem: string): PlumblineError {
  return refusal(
    "xml-malformed",
    xml,
    offset,
    problem,
    "Fetch the document again. If the error persists, check the program that wrote it.",
  );
}

/** Returns an error with its own code at `offset`. */
export function refusal(code: string, xml: Buffer, offset: number, problem: string, next: string): PlumblineError {
  const where = positionAt(xml, Math.min(offset, xml.length));
  return new PlumblineError(code, `XML refused at line ${where.line}, column ${where.column}: ${problem}`, { where, next });
}

/** Returns the character at `offset` for a message: quoted, or as a code point if it is not visible. */
export function shown(xml: Buffer, offset: number): string {
  const code = xml.toString("utf8", offset, offset + 4).codePointAt(0);
  if (code === undefined) return "the end of the document";
  return code > 0x20 && code < 0x7f ? `"${String.fromCharCode(code)}"` : `character U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
