import { PlumblineError } from "../../core/errors.js";

/** A ledger that a later version of Plumbline wrote, in a format that this one does not know. */
export class NewerFormat extends Error {
  constructor(format: unknown) {
    // Only a number is quoted, because the file may contain anything.
    super(`format ${typeof format === "number" ? format : "of the text"} is not known to this version`);
  }
}

/** Error for a write to a ledger of a later version. This version would drop the fields that it does not know. */
export function newerLedger(target: string, reason: string): PlumblineError {
  return new PlumblineError("ledger-newer", `The ledger was written by a later version of Plumbline: ${reason}`, {
    where: { target },
    next: "Upgrade this runner. Do not adopt: a new ledger would lose the rows of the later version.",
    severity: "refused",
  });
}
