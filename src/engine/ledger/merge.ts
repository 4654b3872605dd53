import { foundOnly, type OwnershipRow } from "../../plan/ownership-record.js";
import type { LedgerRecord } from "./ledger.js";

/**
 * Merges two ledgers that earlier runs kept separately. Rows that only one of them has become `unclear`: they are not deleted until they
 * are adopted. Other rows are taken from `own`.
 */
export function mergedRecord(own: LedgerRecord, former: LedgerRecord): LedgerRecord {
  const [ours, theirs] = [new Set(own.paths), new Set(former.paths)];
  const paths = [...new Set([...own.paths, ...former.paths])].sort();
  const rows: Record<string, OwnershipRow> = {};
  const found = foundOnly(former);
  for (const path of paths) {
    const row = own.rows?.[path] ?? former.rows?.[path] ?? {};
    const isUnclear = !ours.has(path) || !theirs.has(path) || found.has(path);
    rows[path] = isUnclear ? { ...row, came: "unclear" } : row;
  }
  const adopted = own.adopted.filter((list) => former.adopted.includes(list));
  const secrets = { ...former.secrets, ...own.secrets };
  const { commit = former.commit, watch = former.watch, refused = former.refused, deletes = former.deletes } = own;
  const snapshots = former.snapshots === undefined ? {} : { snapshots: { ...former.snapshots, ...own.snapshots } };
  const unproven = own.unproven === true || former.unproven === true ? { unproven: true } : {};
  const devices = own.devices ?? former.devices;
  const places = [...new Set([...(own.undelivered ?? []), ...(former.undelivered ?? [])])].sort();
  const undelivered = places.length === 0 ? {} : { undelivered: places };
  return {
    ...own,
    ...(devices === undefined ? {} : { devices }),
    ...snapshots,
    ...unproven,
    ...undelivered,
    commit,
    paths,
    rows,
    adopted,
    secrets,
    watch,
    refused,
    deletes,
  };
}
