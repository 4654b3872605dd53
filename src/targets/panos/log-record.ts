import type { TreeNode } from "../../core/tree/node.js";
import type { LogRecord } from "../../engine/log-reader.js";
import { textOf } from "./client/reply.js";

/** The fields in the device's order, `logid` first where there is one. */
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

/**
 * Tells records apart across queries: by the device's sequence number, which survives them, else by all that is in
 * the record.
 */
export function identityOf(record: LogRecord): string {
  const [seqno, ...others] = ["seqno", "serial", "type", "receive_time"].map((field) => record.get(field) ?? "");
  return seqno === "" ? JSON.stringify([...record]) : [seqno, ...others].join(" ");
}
