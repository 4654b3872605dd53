import { addressRange } from "../../../core/address-range.js";
import { literalService } from "../../../core/service-range.js";
import type { SessionLog } from "../../../reachability/policy-role.js";
import type { LogRecord } from "../../../reachability/policy-target.js";

/** Values in the log for sessions that ended before their application was identified (docs/insight.md#replay). */
const NO_APPLICATION = new Set(["", "incomplete", "insufficient-data", "not-applicable", "unknown"]);

/** The log that contains the sessions of a firewall. */
export const trafficLog: SessionLog = {
  type: "traffic",
  commits: { type: "config", query: "( cmd eq commit )" },
  number(record) {
    const text = record.get("seqno") ?? "";
    return /^\d+$/.test(text) ? BigInt(text) : undefined;
  },
  /** Counts a session once, at its end. Like security rules, a record contains the zones after and the addresses before translation. */
  read(record) {
    if (record.get("subtype") === "start") return "begun";
    const text = (field: string) => record.get(field) ?? "";
    const [source, destination] = [addressRange(text("src"))?.first, addressRange(text("dst"))?.first];
    const [service] = literalService(text("proto") === "ipv6-icmp" ? "icmp6" : text("proto")) ?? [];
    if (source === undefined || destination === undefined || service === undefined) return undefined;
    return {
      scope: text("vsys") === "" ? "vsys1" : text("vsys"),
      session: {
        from: text("from"),
        to: text("to"),
        source,
        destination,
        protocol: service.protocol,
        port: number(record, "dport"),
        sourcePort: number(record, "sport"),
        application: NO_APPLICATION.has(text("app")) ? undefined : text("app"),
        user: text("srcuser") === "" ? "unknown" : "known",
        rule: { name: text("rule"), uuid: record.get("rule_uuid") },
      },
      source: text("src"),
      destination: text("dst"),
      service: number(record, "dport") === 0 ? text("proto") : `${text("proto")}/${text("dport")}`,
      application: NO_APPLICATION.has(text("app")) ? "application not known" : text("app"),
      began: text("start") === "" ? text("receive_time") : text("start"),
      seen: text("receive_time"),
      times: Math.max(1, number(record, "repeatcnt")),
      bytes: number(record, "bytes"),
    };
  },
};

function number(record: LogRecord, field: string): number {
  const value = Number(record.get(field) ?? "");
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
