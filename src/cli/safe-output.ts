import { printableLines } from "../core/printable.js";
import { redactUrls } from "../core/redact-urls.js";
import { showMarks } from "../report/style.js";
import type { Output } from "./context.js";

/** Commands that CI runners read from the log: `::name …::…` at the start of a line, `##[…]` and `##vso[…]` anywhere. */
const LINE_COMMAND = /^(\s*):(?=:[A-Za-z][A-Za-z-]*(?: .*)?::)/gm;
const INLINE_COMMAND = /##(?=\[|vso\[)/g;

/**
 * Wraps standard output or standard error. Everything that Plumbline prints goes through it (`test/safety/outside-text.test.ts`). Text from
 * outside (a name on a device, a file name, a message of a service) cannot control the terminal or the CI runner that reads the log. Control
 * characters show as `\u001b`, CI commands as `: :error::` and `# #[error]`. Only the colours of `src/report/style.ts` stay. Secrets in URLs are
 * removed.
 */
export function safeOutput(output: Output): Output {
  return {
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
    write: (text) => output.write(showMarks(withoutCommands(printableLines(redactUrls(text))))),
  };
}

function withoutCommands(text: string): string {
  return text.replaceAll(LINE_COMMAND, "$1: ").replaceAll(INLINE_COMMAND, "# #");
}
