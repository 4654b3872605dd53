/**
 * Parses JSON. The error contains the position and no content: the message of `JSON.parse` quotes the text, which can be
 * a file with secrets.
 * @throws SyntaxError
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw new SyntaxError(position === undefined ? "not valid JSON" : `not valid JSON at line ${lineAt(text, Number(position))}`);
  }
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}
