import { PlumblineError } from "../core/errors.js";

const FIRST_LINE = "version https://git-lfs";

/** Returns an error if the bytes are a Git LFS pointer, which git leaves in place of a file when LFS does not run. */
export function lfsPointerIn(bytes: Uint8Array, file: string): PlumblineError | undefined {
  if (Buffer.from(bytes.subarray(0, FIRST_LINE.length)).toString("latin1") !== FIRST_LINE) return undefined;
  return new PlumblineError("lfs-pointer", "The file is a Git LFS pointer. It does not contain the text of the file.", {
    where: { file },
    next: "Store the file in git itself: remove its pattern from .gitattributes, run `git add --renormalize .` and commit.",
  });
}
