import { appendFileSync } from "node:fs";

/** Reports tests that cannot run on this machine, with the reason. `.ci/run` prints the list ($PLUMBLINE_LEFT_OUT) at its end. */
export function leaveOut(what: string): void {
  console.warn(`skipped: ${what}`);
  const list = process.env.PLUMBLINE_LEFT_OUT;
  if (list !== undefined) appendFileSync(list, `${what}\n`);
}
