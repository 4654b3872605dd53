import { PlumblineError } from "../../core/errors.js";

/** A ledger that a later version of Plumbline wrote, in a format that this one does not know. */
export class NewerFormat extends Error {
  constructor(format: unknown) {
    // Anything but a number can be the content of a file that is no ledger.
    super(`format ${typeof format === "number" ? format : "of the text"} is not known to this version`);
  }
}

/** For whatever would write such a ledger: what this version cannot read, it would forget. */
export function newerLedger(target: string, reason: string): PlumblineError {
  return new PlumblineError("ledger-newer", `The ledger was written by a later version of Plumbline: ${reason}`, {
    where: { target },
    next: "Upgrade this runner. Do not adopt: a new ledger would forget what the later version noted.",
    severity: "refused",
  });
}
