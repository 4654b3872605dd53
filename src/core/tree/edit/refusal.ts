import { PlumblineError } from "../../errors.js";
import type { Path } from "../path.js";

/** Errors of edits that the tree does not allow. A single edit that throws one of them leaves the tree unchanged. */

export function nodeNotFound(message: string, at: Path): PlumblineError {
  return new PlumblineError("node-not-found", message, options(at));
}

export function nodeExists(message: string, at: Path): PlumblineError {
  return new PlumblineError("node-exists", message, options(at));
}

export function nodeNotMovable(message: string, at: Path): PlumblineError {
  return new PlumblineError("node-not-movable", message, options(at));
}

export function editMismatch(message: string, at: Path): PlumblineError {
  return new PlumblineError("edit-mismatch", message, options(at));
}

function options(at: Path): { readonly where: { readonly xpath: string }; readonly next: string } {
  return { where: { xpath: at.toString() }, next: "Plan again: the tree differs from the one of this change." };
}
