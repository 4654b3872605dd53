import { readJson } from "../../core/json/read-json.js";
import type { Access } from "../target.js";
import type { RefusedCommit } from "../watch/open-watch.js";
import { fingerprintsOf, isObject, stringOf, stringsOf, textsOf } from "./fields.js";
import type { LedgerRecord } from "./ledger.js";
import { NewerFormat } from "./newer-format.js";
import { encodeRows, rowsOf } from "./rows-codec.js";
import { watchOf } from "./watch-codec.js";

/** Format 2 stores the origin and content of each row. Format 1 had only paths. */
const FORMAT = 2;

/** One record as text: JSON with sorted paths, one a line, so that a git ref shows readable differences. */
export function encodeRecord(record: LedgerRecord): string {
  const { owner, target, commit, deletes, stuck, watch, refused, merged, snapshots, access, unanswered, undelivered, unproven } = record;
  const { devices } = record;
  const announced = record.announced === undefined ? undefined : [...record.announced].sort();
  const leaving = record.leaving === undefined ? undefined : [...record.leaving].sort();
  const paths = [...record.paths].sort();
  const adopted = [...record.adopted].sort();
  const secrets = Object.fromEntries(Object.entries(record.secrets).sort(([a], [b]) => (a < b ? -1 : 1)));
  const { text, writers } = encodeRows(paths, record.rows ?? {});
  const fields = {
    format: FORMAT,
    owner,
    target,
    devices,
    commit,
    rows: {},
    writers,
    announced,
    leaving,
    adopted,
    secrets,
    deletes,
    stuck,
    watch,
    refused,
    merged,
    snapshots,
    access,
    unanswered,
    undelivered,
    unproven,
  };
  return `${JSON.stringify(fields, null, 1).replace('"rows": {}', () => `"rows": ${text}`)}\n`;
}

/** Parses the result of `encodeRecord`. @throws Error with the reason if a part is missing or has another type; NewerFormat. */
export function decodeRecord(text: string): LedgerRecord {
  const value: unknown = readJson(text);
  if (!isObject(value)) throw new Error("not an object");
  if (value.format !== 1 && value.format !== FORMAT) throw new NewerFormat(value.format);
  const rows = value.format === 1 ? {} : rowsOf(value.rows, value.writers);
  return {
    owner: stringOf(value, "owner"),
    target: stringOf(value, "target"),
    commit: value.commit === undefined ? undefined : stringOf(value, "commit"),
    paths: value.format === 1 ? stringsOf(value, "paths") : Object.keys(value.rows ?? {}),
    ...(Object.keys(rows).length === 0 ? {} : { rows }),
    announced: value.announced === undefined ? undefined : stringsOf(value, "announced"),
    ...(value.leaving === undefined ? {} : { leaving: stringsOf(value, "leaving") }),
    ...(value.unproven === true ? { unproven: true } : {}),
    adopted: stringsOf(value, "adopted"),
    secrets: fingerprintsOf(value.secrets),
    deletes: value.deletes === undefined ? undefined : deletesOf(value.deletes),
    stuck: value.stuck === undefined ? undefined : stuckOf(value.stuck),
    ...(value.watch === undefined ? {} : { watch: watchOf(value.watch) }),
    ...(value.merged === undefined ? {} : { merged: textsOf(value, "merged") }),
    ...(value.snapshots === undefined ? {} : { snapshots: textsOf(value, "snapshots") }),
    ...(value.unanswered === undefined ? {} : { unanswered: textsOf(value, "unanswered") }),
    ...(value.undelivered === undefined ? {} : { undelivered: stringsOf(value, "undelivered") }),
    ...(value.devices === undefined ? {} : { devices: stringsOf(value, "devices") }),
    ...(value.access === undefined ? {} : { access: accessOf(value.access) }),
    ...(value.refused === undefined ? {} : { refused: refusedOf(value.refused) }),
  };
}

function accessOf(value: unknown): Access {
  if (!isObject(value)) throw new Error("access is malformed");
  return { project: stringOf(value, "project"), roles: stringsOf(value, "roles") };
}

function deletesOf(value: unknown): { day: string; count: number } {
  if (!isObject(value) || typeof value.count !== "number") throw new Error("deletes is malformed");
  return { day: stringOf(value, "day"), count: value.count };
}

function stuckOf(value: unknown): { commit: string | undefined; operations: string } {
  if (!isObject(value)) throw new Error("stuck is malformed");
  return { commit: value.commit === undefined ? undefined : stringOf(value, "commit"), operations: stringOf(value, "operations") };
}

function refusedOf(value: unknown): RefusedCommit {
  if (!isObject(value)) throw new Error("refused is malformed");
  return {
    commit: value.commit === undefined ? undefined : stringOf(value, "commit"),
    operations: stringOf(value, "operations"),
    ...(value.wish === undefined ? {} : { wish: textsOf(value, "wish") }),
    ...(value.checks === undefined ? {} : { checks: stringOf(value, "checks") }),
    ...(value.at === undefined ? {} : { at: stringOf(value, "at") }),
    why: stringOf(value, "why"),
  };
}
