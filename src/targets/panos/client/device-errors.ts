import { PlumblineError } from "../../../core/errors.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import { type DeviceReply, deviceMessage } from "./reply.js";

/**
 * Converts a failed reply to an error, by its code (docs/contributing/devices/panos.md#replies). The text decides only if devices use several codes for
 * the same failure: locks, commits in progress, the limit of uncommitted changes, and absent nodes.
 */
export function deviceError(reply: DeviceReply, place: ServerOrigin, xpath?: string): PlumblineError {
  const words = deviceMessage(reply);
  const where = { target: place.target, xpath };
  return busyError(words, where) ?? (reply.outcome === "absent" ? absent(words, where) : undefined) ?? codeError(reply, words, where);
}

type Spot = { readonly target: string; readonly xpath: string | undefined };

function busyError(words: string, where: Spot): PlumblineError | undefined {
  if (/is currently locked by|is locked by|lock is already held/i.test(words)) {
    return new PlumblineError("device-locked", `another administrator holds a lock: ${words}`, {
      where,
      next: "Wait until the lock is released, or ask its holder.",
      severity: "refused",
    });
  }
  if (/(commit|validate|install|commit\/validate) is (in progress|active|pending)|another commit/i.test(words)) {
    return new PlumblineError("device-busy", `the device is busy with another job: ${words}`, {
      where,
      next: "Wait until the job has ended (show jobs all), then run again.",
    });
  }
  if (/uncommitted changes must not exceed/i.test(words)) {
    return new PlumblineError("too-many-pending-changes", `the device accepts no more uncommitted changes: ${words}`, {
      where,
      next: "Set maxPendingChanges of the target to the device's ceiling, so that several commits are planned.",
    });
  }
  return undefined;
}

function absent(words: string, where: Spot): PlumblineError {
  return new PlumblineError("object-not-present", `the device reports that the node does not exist: ${words}`, {
    where,
    next: "Plan again: it may have been removed since it was read.",
  });
}

function codeError(reply: DeviceReply, words: string, where: Spot): PlumblineError {
  switch (reply.code) {
    case 6:
      return new PlumblineError("xpath-refused", `the device cannot follow the XPath: ${words}`, {
        where,
        next: "Check the names in it. Please report it if Plumbline generated it.",
      });
    case 8:
      return new PlumblineError("object-not-unique", `the name is taken already: ${words}`, {
        where,
        next: "Choose another name, or delete the object that has it.",
      });
    case 10:
      return stillReferenced(reply, where);
    case 12:
      return new PlumblineError("object-refused", `the device refuses the content: ${words}`, {
        where,
        next: "Correct the value in the desired state. `plumbline explain` shows its file and line.",
      });
    case 13:
      return new PlumblineError("object-not-found", `the device does not find an object that the operation needs: ${words}`, {
        where,
        next: "Plan again: it may have been removed since it was read.",
      });
    case 14:
      return new PlumblineError("operation-not-possible", `the device cannot do this here: ${words}`, {
        where,
        next: "Plan again: the list may have changed since it was read.",
      });
    case 15:
      return new PlumblineError("operation-denied", `the device denies the operation: ${words}`, {
        where,
        next: "Check that this is the active device of a pair, and that the place may be written.",
      });
    case 16:
      return notAuthorized(words, where);
    case 403:
      return notAuthorized(words, where);
    case 1:
    case 17:
    case 18:
    case 400:
      return new PlumblineError("command-refused", `the device does not take the command: ${words}`, {
        where,
        next: "Check the software version of the device and the vsys of the path.",
      });
    default:
      return otherError(reply, words, where);
  }
}

/** The message lists every referrer that the device reports. */
function stillReferenced(reply: DeviceReply, where: Spot): PlumblineError {
  const [first = "the object is in use", ...referrers] = reply.lines;
  const list = referrers.length === 0 ? "" : `\n${referrers.map((line) => `  ${line}`).join("\n")}`;
  return new PlumblineError("still-referenced", `${first}${list}`, {
    where,
    next: "Take the object out of these places first, or declare them, so that one plan does both.",
  });
}

function notAuthorized(words: string, where: Spot): PlumblineError {
  return new PlumblineError("role-not-authorized", `the account lacks permission: ${words}`, {
    where,
    next: "Give the administrator's role the XML API rights for config, op, commit and log.",
  });
}

function otherError(reply: DeviceReply, words: string, where: Spot): PlumblineError {
  if (reply.code !== undefined && [2, 3, 4, 5, 11, 21].includes(reply.code)) {
    return new PlumblineError("device-internal-error", `the device reports an internal error (code ${reply.code}): ${words}`, {
      where,
      next: "Check the device's logs. Run again once it has recovered.",
    });
  }
  return new PlumblineError("device-error", `the device refuses: ${words}`, {
    where,
    next: "Read the device's message. Plumbline does not know this reply.",
  });
}
