/** One log record: its fields in output order. */
export type LogRecord = ReadonlyMap<string, string>;

/** Returns the fields at the start of every log record. */
export function common(
  type: string,
  {
    serial,
    time,
    seqno,
    deviceName,
  }: { readonly serial: string; readonly time: string; readonly seqno: number; readonly deviceName: string },
): [string, string][] {
  return [
    ["domain", "1"],
    ["receive_time", time],
    ["serial", serial],
    ["seqno", String(seqno)],
    ["actionflags", "0x0"],
    ["is-logging-service", "no"],
    ["type", type],
    ["subtype", "0"],
    ["config_ver", "0"],
    ["time_generated", time],
    ["dg_hier_level_1", "0"],
    ["dg_hier_level_2", "0"],
    ["dg_hier_level_3", "0"],
    ["dg_hier_level_4", "0"],
    ["device_name", deviceName],
    ["vsys_id", "1"],
  ];
}
