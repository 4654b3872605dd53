import { PlumblineError } from "../../core/errors.js";
import { redactUrls } from "../../core/redact-urls.js";
import type { GitResult } from "../../engine/checkout/git.js";
import { spoken } from "./fetch-failure.js";

const LEFT_BEHIND = /\.lock'?: File exists|index file|bad index|index uses|bad signature 0x|index entry/i;
const NO_ROOM = /No space left|Permission denied|Read-only file system|Disk quota|Input\/output error/i;
/** Messages about the content of one object. */
const CORRUPT = "corrupt|object file .* is empty|inflate|unable to (?:unpack|stream)";
const DAMAGE = new RegExp(
  [
    CORRUPT,
    "not a git repository",
    "spawn git ENOENT",
    "(?:loose object|packed object|pack(?:file)?|inflate|zlib).*",
    "(?:missing|bad|unable to read|unable to find|unable to parse|could not parse|failed to read|invalid) (?:blob|tree|commit|object|sha1|config|ref|[0-9a-f]{40})",
    "did not send all necessary objects",
    "not a valid object",
    "ambiguous argument|Needed a single revision|unknown revision",
    "reference broken|bad ref|cannot lock ref|unable to resolve reference",
    "not a commit|reference is not a tree",
    "bad (?:numeric )?config",
  ].join("|"),
  "i",
);

/** Returns whether a killed git process left a lock or a partial index. */
export function isLeftBehind(result: GitResult): boolean {
  return LEFT_BEHIND.test(localMessages(result)) && !NO_ROOM.test(result.stderr);
}

/** Returns whether objects or refs of the clone seem damaged. A full disk or a failure of the remote does not count. */
export function isDamaged(result: GitResult): boolean {
  const message = localMessages(result);
  return DAMAGE.test(message) && !NO_ROOM.test(message) && !/does not appear to be a git repository/.test(message);
}

/** Returns whether an object is corrupt. Only a new clone fixes that. */
export function isCorrupt(result: GitResult): boolean {
  return new RegExp(CORRUPT, "i").test(localMessages(result)) && !NO_ROOM.test(result.stderr);
}

/** @returns `source-clone-damaged` if a new clone would help, else `source-clone-failed`. */
export function cloneFailure(folder: string, result: GitResult): PlumblineError {
  const message = redactUrls(spoken(result));
  if (isDamaged(result)) {
    return new PlumblineError("source-clone-damaged", `The agent's clone is damaged: ${message}`, {
      where: { file: folder },
      next: "It is recreated at the next fetch. Check the disk.",
    });
  }
  return new PlumblineError("source-clone-failed", `git failed in the agent's clone: ${message}`, {
    where: { file: folder },
    next: "Check the free space and the owner of the folder. You can delete a damaged clone. The next fetch recreates it.",
  });
}

/** Returns the messages of the local git, without those of the remote. */
function localMessages({ stderr }: GitResult): string {
  const rows = stderr.split(/[\r\n]+/);
  return rows.filter((row) => !row.startsWith("remote:")).join("\n");
}
