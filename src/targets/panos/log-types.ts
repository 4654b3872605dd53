const SESSION = ["src", "dst", "app", "rule"];

/**
 * Log types of devices (docs/contributing/devices/panos.md#logs) with their default columns. Fields that a version names differently stay in the record,
 * and any field can be selected by name.
 */
export const LOG_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map([
  ["traffic", ["receive_time", "from", "to", "src", "dst", "dport", "proto", "app", "rule", "action", "bytes", "session_end_reason"]],
  ["threat", ["receive_time", "severity", ...SESSION, "action", "category", "threatid", "misc"]],
  ["config", ["receive_time", "admin", "client", "cmd", "result", "full-path", "path", "comment"]],
  ["system", ["receive_time", "severity", "eventid", "object", "opaque"]],
  ["hipmatch", ["receive_time", "srcuser", "machinename", "src", "matchtype", "matchname"]],
  ["globalprotect", ["receive_time", "eventid", "status", "stage", "srcuser", "machinename", "public_ip", "private_ip", "opaque"]],
  ["wildfire", ["receive_time", ...SESSION, "action", "category", "filetype", "filedigest", "misc"]],
  ["url", ["receive_time", ...SESSION, "action", "category", "misc"]],
  ["data", ["receive_time", ...SESSION, "action", "filetype", "threatid", "misc"]],
  ["corr", ["receive_time", "severity", "category", "src", "srcuser", "objectname"]],
  ["corr-detail", ["receive_time", "severity", "category", "src", "srcuser", "objectname", "evidence"]],
  ["corr-categ", ["receive_time", "severity", "category", "src", "srcuser"]],
  ["userid", ["receive_time", "subtype", "user", "ip", "datasource", "datasourcename", "timeout"]],
  ["auth", ["receive_time", "event", "user", "ip", "authpolicy", "serverprofile", "desc"]],
  ["gtp", ["receive_time", "severity", "src", "dst", "app", "imsi", "apn", "event_type", "action"]],
  ["external", ["receive_time", "severity", "src", "dst", "misc"]],
  ["iptag", ["receive_time", "event_id", "ip", "tag_name", "datasourcename"]],
  ["decryption", ["receive_time", ...SESSION, "sni", "tls_version", "policy_name", "error"]],
]);
