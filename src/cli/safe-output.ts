import type { Output } from "./context.js";

/** Reverses what stands around it, or is not seen; ESC is left to our own colours and is no part of names (`printable`). */
const TURNING = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Orders that runners of CI systems take from the log: `::name …::…` as a line, `##[…]` and `##vso[…]` anywhere. */
const LINE_ORDER = /^(\s*):(?=:[A-Za-z][A-Za-z-]*(?: .*)?::)/gm;
const INLINE_ORDER = /##(?=\[|vso\[)/g;

/**
 * The output, in which no text from elsewhere (a name on a device, a file's name, a message of a service) can be an order to
 * the runner that reads the log, or turn a line around. What is changed shows: `: :error::`, `# #[error]`, `�`.
 */
export function safeOutput(output: Output): Output {
  return {
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
    write: (text) => output.write(withoutOrders(text)),
  };
}

function withoutOrders(text: string): string {
  return text.replaceAll(TURNING, "�").replaceAll(LINE_ORDER, "$1: ").replaceAll(INLINE_ORDER, "# #");
}
