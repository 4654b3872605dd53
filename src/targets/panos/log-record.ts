import type { TreeNode } from "../../core/tree/node.js";
import type { LogRecord } from "../../reachability/policy-target.js";
import { textOf } from "./client/reply.js";

/** Returns the fields in the device's order, with `logid` first if present. */
export function readRecord(entry: TreeNode): LogRecord {
  const record = new Map<string, string>();
  const logid = entry.attributes?.get("logid");
  if (logid !== undefined) record.set("logid", logid);
  for (const field of entry.children) {
    const before = record.get(field.tag);
    record.set(field.tag, before === undefined ? textOf(field) : `${before}, ${textOf(field)}`);
  }
  return record;
}

/** Identifies a record across queries by the device's sequence number, or by its complete content if it has none. */
export function identityOf(record: LogRecord): string {
  const [seqno, ...others] = ["seqno", "serial", "type", "receive_time"].map((field) => record.get(field) ?? "");
  return seqno === "" ? JSON.stringify([...record]) : [seqno, ...others].join(" ");
}
