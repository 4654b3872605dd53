import { appendFileSync } from "node:fs";

/** Says what cannot be tested on this machine and why. `.ci/run` repeats it at its end: $PLUMBLINE_LEFT_OUT is its list. */
export function leaveOut(what: string): void {
  console.warn(`left out: ${what}`);
  const list = process.env.PLUMBLINE_LEFT_OUT;
  if (list !== undefined) appendFileSync(list, `${what}\n`);
}
