import { PlumblineError } from "../../../core/errors.js";
import { childAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { OnDoubt } from "../../../engine/target.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";

export interface AbsenceEvidence {
  readonly place: ServerOrigin;
  /** Reads one subtree in the same view. */
  readonly read: (path: Path) => Promise<TreeNode | undefined>;
  /** Subtrees that were read with content in this pass. */
  readonly present: readonly Path[];
  /** Called for an absence that is not credible, instead of an error. If nothing could be read, an error is thrown in any case. */
  readonly onDoubt?: OnDoubt | undefined;
}

/**
 * Verifies empty answers (docs/contributing/plan.md#an-empty-answer): a wrong XPath, a missing right and an empty list give the same reply. For each
 * path, the nearest ancestor with content is read in the same pass. It must not contain the missing node, and must contain the nodes that
 * were just read below it. A node without content on the way to the missing node is no contradiction. Paths with the same parent share its
 * read. `/config` itself is never read: if no ancestor has content, any other successful read of the pass is the proof.
 * @throws PlumblineError `empty-read-not-believed`
 */
export async function confirmAbsence(missing: readonly Path[], evidence: AbsenceEvidence): Promise<void> {
  const reads = new Map<string, Promise<TreeNode | undefined>>();
  const readOnce = (path: Path): Promise<TreeNode | undefined> => {
    const key = path.toString();
    const known = reads.get(key);
    if (known !== undefined) return known;
    const read = evidence.read(path);
    reads.set(key, read);
    return read;
  };
  const believe = async (path: Path): Promise<void> => {
    const doubt = await doubtOf(path, readOnce, evidence);
    if (doubt === undefined) return;
    if (evidence.onDoubt === undefined || evidence.present.length === 0) throw doubt;
    evidence.onDoubt(path, doubt);
  };
  await Promise.all(missing.map(believe));
}

async function doubtOf(
  missing: Path,
  read: (path: Path) => Promise<TreeNode | undefined>,
  evidence: AbsenceEvidence,
): Promise<PlumblineError | undefined> {
  for (let at = missing; ; ) {
    const { parent } = at;
    if (parent === undefined || parent.depth < 2) break;
    const ancestor = await read(parent);
    if (ancestor !== undefined && ancestor.children.length > 0) {
      const shown = childAt(ancestor, at);
      if (shown !== undefined && !agrees(shown, at, missing)) return notBelieved(missing, evidence.place, `${parent} holds it`);
      return withoutKnown(missing, parent, ancestor, evidence);
    }
    at = parent;
  }
  return evidence.present.length > 0 ? undefined : notBelieved(missing, evidence.place, "its parents cannot be read either");
}

/**
 * A node without content agrees with an empty answer below it. For an entry or member, existence is already content: if the requested entry
 * itself is present, the answers contradict each other.
 */
function agrees(shown: TreeNode, at: Path, missing: Path): boolean {
  if (at === missing && (at.name !== undefined || at.text !== undefined)) return false;
  return shown.children.length === 0 && shown.text === "";
}

function withoutKnown(missing: Path, parent: Path, ancestor: TreeNode, { present, place }: AbsenceEvidence): PlumblineError | undefined {
  for (const path of present) {
    if (!parent.contains(path) || path.depth === parent.depth) continue;
    const step = path.steps()[parent.depth];
    if (step !== undefined && childAt(ancestor, step) === undefined)
      return notBelieved(missing, place, `${parent} came back without ${step}`);
  }
  return undefined;
}

function notBelieved(missing: Path, place: ServerOrigin, reason: string): PlumblineError {
  return new PlumblineError("empty-read-not-believed", `${place.origin} returns ${missing} as empty, but ${reason}`, {
    where: { target: place.target, xpath: missing.toString() },
    next: "Check the path and the permissions of the account. If both are correct, run again.",
  });
}
