import type { LedgerRecord } from "../ledger.js";
import type { TargetOutcome } from "../outcome.js";
import type { ReadTarget } from "../target.js";
import { Path } from "../tree/path.js";
import type { TargetContext } from "./context.js";
import { consultLedgers, loginOf, openTarget } from "./open.js";
import type { PassOptions, Readers } from "./options.js";
import { type Planned, readAndPlan, recordOf } from "./planner.js";
import { allSecretLeaves, desiredSecrets } from "./secret-leaves.js";
import { type PassWork, passOver, startPass } from "./start.js";

/**
 * `plumbline adopt`: writes the ledger and nothing else. What documents declare is ours from now on, and exclusive
 * lists have had their first contact. Of secrets, those that the ledger knows are taken over in the form that they
 * have now (a new master key); an unknown one stays unknown.
 */
export async function adoptTargets(options: PassOptions, readers: Readers): Promise<TargetOutcome[]> {
  const allow = new Map([...options.allow, ["master-key", ""]]);
  return await passOver(await startPass({ ...options, allow }, readers), readers.reader, adopt);
}

const adopt: PassWork<ReadTarget> = async (target, context, draft) => {
  const { capabilities } = await openTarget(target, context, draft);
  const request = await consultLedgers(context, "candidate", loginOf(context), draft);
  const planned = await readAndPlan(target, capabilities, context, request);
  const old = recordOf(request.ledger);
  const record = recordFor(context, planned, old);
  await context.ledger.write(record);
  const fresh = new Set(old?.paths);
  const added = record.paths.filter((path) => !fresh.has(path)).length;
  draft.warnings.push(`the ledger holds ${record.paths.length} paths now, ${added} of them new`);
};

function recordFor(context: TargetContext, { plan, live }: Planned, old: LedgerRecord | undefined): LedgerRecord {
  const { desired, options, owner, name, checkout } = context;
  const lists = desired.exclusive.filter((list) => options.only === undefined || options.only.contains(list));
  return {
    owner,
    target: name,
    commit: checkout.commit,
    paths: plan.owns,
    adopted: [...new Set([...(old?.adopted ?? []), ...lists.map(String)])],
    secrets: secretsFor(context, live.candidate, old),
    deletes: old?.deletes,
  };
}

function secretsFor(
  { desired, fingerprints }: TargetContext,
  live: Planned["live"]["candidate"],
  old: LedgerRecord | undefined,
): LedgerRecord["secrets"] {
  const leaves = allSecretLeaves(live);
  const secrets: Record<string, { plain: string; stored: string }> = {};
  for (const [path, ours] of desiredSecrets(desired.root, Path.root.child(desired.root.tag))) {
    const leaf = leaves.get(path);
    if (leaf !== undefined && old?.secrets[path]?.plain === fingerprints.of(path, "plain", ours))
      secrets[path] = fingerprints.pair(path, ours, leaf);
  }
  return secrets;
}
