import { PlumblineError } from "../../core/errors.js";

/** Converts a database error to a Plumbline error with a next step. Other errors are returned unchanged. */
export function storeFailure(error: unknown, place: string): unknown {
  if (error instanceof PlumblineError || !(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string") return error;
  const cause = { cause: error };
  if (/^SQLITE_FULL|^53100$|^ENOSPC$/.test(code)) {
    return new PlumblineError("store-full", `There is no room left for the store ${place}.`, {
      next: "Free space on the disk, or shorten the retention. In the meantime drift is reported and nothing is applied.",
      ...cause,
    });
  }
  if (/^SQLITE_(BUSY|LOCKED)|^55P03$/.test(code)) {
    return new PlumblineError("store-busy", `Another process writes to the store ${place} and does not end.`, {
      next: "Look for a process that holds the file (`fuser -v FILE`), then run again.",
      ...cause,
    });
  }
  if (/^SQLITE_(CORRUPT|NOTADB)|^XX00[12]$/.test(code)) {
    return new PlumblineError("store-damaged", `The store ${place} is damaged: ${error.message}`, {
      next: "Stop the agent, move the file away together with its -wal and -shm, and start it again, or restore a copy.",
      ...cause,
    });
  }
  if (/^SQLITE_(CANTOPEN|PERM|READONLY|IOERR|AUTH)|^E(ACCES|ROFS|PERM|EXIST|NOTDIR|ISDIR)$/.test(code)) {
    return new PlumblineError("store-unwritable", `The store ${place} cannot be opened or written: ${error.message}`, {
      next: "Give this account the right to read and write the file and its folder, on a local disk.",
      ...cause,
    });
  }
  if (/^(08|28|3D|57P)|^57014$|^25P03$|^ECONN|^ETIMEDOUT$|^ENOTFOUND$|^EAI_AGAIN$|^EHOST|^ENETUNREACH$|^EPIPE$/.test(code)) {
    return new PlumblineError("store-unreachable", `The database ${place} does not answer: ${error.message}`, {
      next: "See that it runs, and that address, user and password in `store:` are right; the agent tries again.",
      ...cause,
    });
  }
  return error;
}

const LOST = /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Sets an error code for broken connections that pg reports without a code. */
export function withCode(error: unknown): unknown {
  if (error instanceof Error && (error as { code?: unknown }).code === undefined && LOST.test(error.message)) {
    return Object.assign(error, { code: "ECONNRESET" });
  }
  return error;
}
