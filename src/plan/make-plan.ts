import { during } from "../core/observe.js";
import { touchedPath } from "../core/operation.js";
import { find, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import type { DesiredNode } from "../desired/model.js";
import { chooseFragments } from "./cost/choose-fragments.js";
import type { Change, Diff, Finding } from "./diff/change.js";
import { applyIgnores, diff } from "./diff/diff.js";
import { leaveOut } from "./diff/ignores.js";
import { isInherited } from "./diff/inherited.js";
import { type PlanDigests, planDigests } from "./digest.js";
import { withoutDeletedMembers } from "./drop-deleted-members.js";
import { explodeEdit } from "./explode.js";
import { followRenames } from "./follow-renames.js";
import type { Fragment } from "./fragment.js";
import { downFindings, interruptionsOf } from "./interrupt.js";
import { listMeanings } from "./list-meaning.js";
import { meaningChanges } from "./meaning.js";
import type { Plan, PlanInput, PlannedOperation, Refusal } from "./model.js";
import { Scopes } from "./namespace.js";
import { markedEntry, oneSetAnObject } from "./objects.js";
import { type Ordered, orderFragments } from "./order.js";
import { originAt } from "./origin.js";
import { ownedPaths } from "./owned-paths.js";
import type { OwnershipRecord } from "./ownership-record.js";
import { foundOnly } from "./ownership-record.js";
import { bytesForOperations, operationBytes, type PackLimits, pack, splitOversize } from "./pack-requests.js";
import { othersPending } from "./pending-path.js";
import type { PlanGuards } from "./plan-guards.js";
import { referredObjects } from "./referred-objects.js";
import { type Reordered, reorderWithoutMoves } from "./reorder.js";
import { replaceImmutable } from "./replace.js";
import type { Replacing } from "./replacing.js";
import { deletedEntries } from "./touched-lists.js";
import { type ReadInput, withoutUnread } from "./without-unread.js";

/**
 * Computes the fewest safe operations that turn the candidate into the desired state. Every intermediate state is safe. The operations are
 * packed into requests. The plan also contains the refusals of `guards` and a digest (docs/contributing/plan.md). Pure: the same input gives the same plan.
 *
 * @throws PlumblineError `allow-unknown` or `allow-value` for a wrong `--allow`, and the errors of `diff` and `chooseFragments`
 */
export function makePlan(input: PlanInput, guards: PlanGuards): Plan {
  return during("plan", () => planOf(input, guards));
}

function planOf(given: PlanInput, guards: PlanGuards): Plan {
  const declared = applyIgnores(asShown(given), given.candidate, given.desired.ignores);
  const input = withFollowers(given, declared);
  const unseen = guards.beforeComparison({ input, declared, written: withLost(given) });
  const seen = during("diff", () => seenOf(input, declared, unseen));
  const { desired } = seen;
  const { diff: difference, refusals: fixed, replacing } = replaceImmutable(seen.difference, desired, input);
  const ordered = orderChosen(input, desired, difference, replacing);
  const { operations, tooLarge } = fitted(ordered, input);
  const down = downFindings(interruptionsOf(difference.changes, desired, input.shape));
  const findings = [...difference.findings, ...notesOf(input, desired), ...down, ...ordered.findings];
  const ofEntries = meaningChanges(difference.changes, desired, input);
  const isFeasible = ordered.knots.length === 0 && ordered.refusals.length === 0;
  const meaning = isFeasible ? [...ofEntries, ...listMeanings(difference.changes, operations, ofEntries, input)] : ofEntries;
  const refused = guards.planned({
    input,
    desired,
    changes: difference.changes,
    findings,
    meaning,
    operations,
    dangling: ordered.dangling,
    emptied: ordered.emptied,
    knots: ordered.knots,
    deletions: deletedEntries(difference.changes),
  });
  const record = input.ledger.state === "present" ? input.ledger.record : undefined;
  const running = differencesOfRunning(input, desired, difference);
  const uncommitted = difference.changes.length === 0 ? running.changes : [];
  const digests = lazy(() => digestsOf(input, desired, difference, { operations, uncommitted }));
  return {
    format: 1,
    target: input.desired.target,
    get digest() {
      return digests().digest;
    },
    get effect() {
      return digests().effect;
    },
    changes: difference.changes,
    remaining: [...difference.remaining, ...running.remaining],
    unmanaged: difference.unmanaged,
    observed: observedDifferences(given, input, difference, seen.leftOut),
    findings,
    meaning,
    refusals: [...unseen, ...refused, ...fixed, ...ordered.refusals, ...tooLarge].map((refusal) => ({
      ...refusal,
      origin: refusal.origin ?? originAt(refusal.path, desired),
    })),
    operations,
    ...pack(operations, limitsOf(input)),
    commitOnly: uncommitted.length > 0,
    foreign: othersPending(input),
    deletionsUnknown: input.ledger.state !== "present",
    leftOut: seen.leftOut,
    owns: withLeftOut(withFound(ownedPaths(desired, input.candidate, input.shape, record, input.only), findings), record, seen.leftOut),
  };
}

function notesOf({ kindGuards, candidate, only }: PlanInput, desired: DesiredNode): Finding[] {
  const notes = kindGuards.notes?.(desired, candidate) ?? [];
  return notes
    .filter(({ path }) => only?.contains(path) ?? true)
    .map((note) => ({ kind: "note", ...note, origin: originAt(note.path, desired) ?? -1, refuses: false }));
}

function seenOf(input: PlanInput, declared: DesiredNode, unseen: readonly Refusal[]): ReadInput {
  const seen = (root: DesiredNode) => withoutUnread(input, root, unseen, (wanted) => compare(input, wanted, input.candidate));
  const first = seen(declared);
  const completed = withoutDeletedMembers(declared, first.difference.changes, input);
  return completed === declared ? first : seen(completed);
}

function asShown(input: PlanInput): DesiredNode {
  const desired = withLost(input);
  return input.kindGuards.inWordsOfLive?.(desired, input.candidate) ?? desired;
}

/** Returns the differences at paths whose mode prevents writing, or undefined. */
function observedDifferences(given: PlanInput, input: PlanInput, planned: Diff, leftOut: readonly Path[]): Plan["observed"] {
  const { ignores } = given.desired;
  if (!ignores.some(({ isObserved }) => isObserved)) return undefined;
  const wanted = applyIgnores(
    asShown(given),
    given.candidate,
    ignores.filter(({ isObserved }) => isObserved !== true),
  );
  const all = during("diff", () => compare(input, leaveOut(wanted, leftOut), input.candidate));
  const known = new Set([...planned.changes, ...planned.remaining].map(keyOf));
  const changes = [...all.changes, ...all.remaining].filter((change) => !known.has(keyOf(change)));
  const knownFindings = new Set(planned.findings.map(keyOf));
  const findings = all.findings.filter((finding) => finding.refuses && !knownFindings.has(keyOf(finding)));
  return changes.length === 0 && findings.length === 0 ? undefined : { changes, findings };
}

function keyOf({ kind, path }: Pick<Change, "kind" | "path"> | Pick<Finding, "kind" | "path">): string {
  return `${kind} ${path}`;
}

function withLost({ desired, candidate, kindGuards, ledger }: PlanInput): DesiredNode {
  if (kindGuards.withLost === undefined || ledger.state !== "present") return desired.root;
  const { rows = {} } = ledger.record;
  return kindGuards.withLost(desired.root, candidate, (entry) => rows[entry.toString()]?.came === "made");
}

/** Keeps only-found objects in the ledger. Plans report them until they are deleted, declared again or adopted. */
function withFound(owned: readonly string[], findings: readonly Finding[]): readonly string[] {
  const found = findings.filter(({ kind }) => kind === "only-found").map(({ path }) => path.toString());
  return found.length === 0 ? owned : [...new Set([...owned, ...found])].sort();
}

/** Keeps the ledger rows of omitted subtrees. */
function withLeftOut(owned: readonly string[], record: OwnershipRecord | undefined, leftOut: readonly Path[]): readonly string[] {
  if (leftOut.length === 0) return owned;
  const kept = (record?.paths ?? []).filter((row) => leftOut.some((root) => root.contains(parsePath(row))));
  return [...new Set([...owned, ...kept])].sort();
}

/** Applies to the live trees the reference updates that the platform makes itself when it renames: they are not changes of their own. */
function withFollowers(input: PlanInput, desired: DesiredNode): PlanInput {
  const { capabilities, candidate, running, shape, kindGuards } = input;
  if (!capabilities.rename || capabilities.renameKeepsReferences !== "yes") return input;
  const followed = followRenames(candidate, desired, shape, new Scopes(kindGuards.scopeParents?.(candidate)));
  return { ...input, candidate: followed, running: running === candidate ? followed : running };
}

function compare(input: PlanInput, desired: DesiredNode, live: TreeNode): Diff {
  const { shape, rotateSecrets, only } = input;
  const record = input.ledger.state === "present" ? input.ledger.record : undefined;
  return diff({
    desired,
    live,
    shape,
    ledger: record?.paths,
    onlyFound: record === undefined ? undefined : foundOnly(record),
    unconfirmed: record?.unconfirmed,
    exclusive: input.desired.exclusive,
    target: input.desired.target,
    owner: input.owner,
    awaitsDependencies: input.awaitsDependencies,
    rename: input.capabilities.rename,
    isSystem: (entry) => input.kindGuards.neverPruned(entry),
    rotateSecrets,
    only,
    secretState: (path, wanted, leaf) => input.secretState(path, wanted, leaf),
  });
}

function orderChosen(
  input: PlanInput,
  desired: DesiredNode,
  difference: Diff,
  replacing: Replacing | undefined,
): Ordered & Pick<Reordered, "findings" | "refusals"> {
  const { candidate: live, shape, capabilities, rewriteLists, only } = input;
  const { atomicBatch, rename, completeObjectWrites } = capabilities;
  const { changes } = difference;
  const { move } = capabilities;
  const cheapest = chooseFragments({ diff: difference, desired, live, shape, rewriteLists, atomicBatch, rename, only });
  const chosen = capabilities.independentObjects === true ? oneSetAnObject(cheapest, changes, shape) : cheapest;
  const kept: Reordered = { fragments: chosen, rebuilds: [], findings: [], refusals: [] };
  const reordered = move ? kept : reorderWithoutMoves({ fragments: chosen, changes, desired, live, shape, rewriteLists, atomicBatch });
  const fragments = rewriteOversizeEdits(reordered.fragments, live, shape, capabilities);
  const scopeParents = input.kindGuards.scopeParents?.(live);
  const renameKeepsReferences = capabilities.renameKeepsReferences === "yes";
  const how = { move, renameKeepsReferences, completeObjectWrites, scopeParents, replacing };
  const ordered = orderFragments({ ...reordered, fragments, changes, desired, live, shape, ...how });
  return { ...ordered, findings: reordered.findings, refusals: reordered.refusals };
}

/** Splits operations to the size of a request, and refuses operations that are still too large. */
function fitted(ordered: Ordered, input: PlanInput): { operations: PlannedOperation[]; tooLarge: Refusal[] } {
  const limits = limitsOf(input);
  const operations = splitOversize(ordered.operations, limits);
  const tooLarge = operations
    .filter(({ operation }) => operationBytes(operation) > bytesForOperations(limits))
    .map(({ operation }) => ({
      guard: "request-size",
      message: `This takes ${operationBytes(operation)} bytes in one operation, and a request holds ${limits.maxRequestBytes} (maxRequestBytes).`,
      path: operation.at,
      allow: undefined,
    }));
  return { operations, tooLarge };
}

function limitsOf({ capabilities, shape }: PlanInput): PackLimits {
  if (capabilities.completeObjectWrites !== true) return capabilities;
  return { ...capabilities, objectOf: (operation) => markedEntry(touchedPath(operation), shape)?.toString() };
}

/**
 * Returns differences between running and desired state that the candidate does not have, because a change is not committed yet. A place
 * that only the candidate has counts as missing. Template values are not part of running.
 */
function differencesOfRunning(input: PlanInput, desired: DesiredNode, ofCandidate: Diff): Pick<Diff, "changes" | "remaining"> {
  const { running, candidate, capabilities } = input;
  if (running === undefined || running === candidate || !capabilities.candidate) return { changes: [], remaining: [] };
  const found = compare(input, desired, running);
  const known = new Set([...ofCandidate.remaining, ...ofCandidate.findings].map(keyOf));
  const missing = found.findings.flatMap((finding): Change[] => {
    const after = finding.refuses && !known.has(keyOf(finding)) ? find(desired, finding.path) : undefined;
    return after === undefined ? [] : [{ kind: "missing", path: finding.path, after }];
  });
  const changes = [...found.changes, ...missing].filter((change) => change.kind !== "missing" || !isGiven(candidate, change.path));
  return { changes, remaining: found.remaining.filter((change) => !known.has(keyOf(change))) };
}

function isGiven(candidate: TreeNode, path: Path): boolean {
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) {
    const node = find(candidate, at);
    if (node !== undefined && isInherited(node)) return true;
  }
  const node = find(candidate, path);
  return node !== undefined && node.children.length > 0 && node.children.every(isInherited);
}

/**
 * Computes the value on first use and then releases its inputs: they contain the complete desired tree, and a plan without changes needs no
 * digest.
 */
function lazy<Made>(make: () => Made): () => Made {
  let open: (() => Made) | undefined = make;
  let made: Made | undefined;
  return () => {
    if (open !== undefined) made = open();
    open = undefined;
    return made as Made;
  };
}

function digestsOf(
  input: PlanInput,
  desired: DesiredNode,
  { changes }: Diff,
  work: { readonly operations: readonly PlannedOperation[]; readonly uncommitted: readonly Change[] },
): PlanDigests {
  const { candidate: live, shape } = input;
  const { uncommitted } = work;
  const operations = work.operations.map(({ operation }) => operation);
  const referred = referredObjects(operations, live, shape, new Scopes(input.kindGuards.scopeParents?.(live)));
  return planDigests({
    format: 1,
    target: input.desired.target,
    device: input.device,
    desired,
    live,
    shape,
    changes,
    operations,
    referred,
    uncommitted,
  });
}

/** Divides each `edit` of more than a request's size into smaller writes, if the platform allows the order. */
function rewriteOversizeEdits(
  fragments: readonly Fragment[],
  live: TreeNode,
  root: Shape,
  limits: PackLimits & { readonly move: boolean },
): Fragment[] {
  return fragments.flatMap((fragment) => {
    const { operation } = fragment;
    if (operation.action !== "edit" || operationBytes(operation) <= bytesForOperations(limits)) return [fragment];
    const before = find(live, operation.at);
    const parts = before === undefined ? undefined : explodeEdit(operation, before, shapeAt(operation.at, root), limits.move);
    return parts === undefined ? [fragment] : parts.map((part) => ({ ...fragment, operation: part }));
  });
}
