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
  /** Subtrees of this pass that read back with content. */
  readonly present: readonly Path[];
  /** Told of what is not believed, in place of an error; that nothing at all can be read is one all the same. */
  readonly onDoubt?: OnDoubt | undefined;
}

/**
 * Holds empty answers against the truth (docs/plan.md#an-empty-answer): a wrong XPath, a missing right and an empty list all
 * read the same. For each path the nearest ancestor that has content is read in the same pass. It must not hold the
 * missing node, or show the step to it as empty, and must hold what was just read below it. Throws `empty-read-not-believed`.
 *
 * Paths with one parent share its read. Above `/config` there is nothing to read: there, anything that the same pass
 * read at all is the proof.
 */
export async function believeAbsence(missing: readonly Path[], evidence: AbsenceEvidence): Promise<void> {
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
  return evidence.present.length > 0 ? undefined : notBelieved(missing, evidence.place, "nothing above it can be read either");
}

/**
 * What is shown without content holds nothing, as the empty answers below it said. An entry is something also without content:
 * that the very one which was asked for stands there is a contradiction.
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
  return new PlumblineError("empty-read-not-believed", `${place.origin} says that ${missing} is empty, but ${reason}`, {
    where: { target: place.target, xpath: missing.toString() },
    next: "Check the path and the rights of our administrator; if both are right, run again.",
  });
}
