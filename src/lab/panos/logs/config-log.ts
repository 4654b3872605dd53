import type { Effect } from "../config/edit.js";
import type { LabDevice } from "../device.js";
import { hostname } from "../state/system-facts.js";
import { common, type LogRecord } from "./record.js";

/** The configuration log: every edit, commit and revert, with the administrator and the node before and after. */
export class ConfigLog {
  readonly #device: LabDevice;
  readonly #records: LogRecord[] = [];

  constructor(device: LabDevice) {
    this.#device = device;
  }

  /** Oldest first. */
  get records(): readonly LogRecord[] {
    return this.#records;
  }

  noteEdit(admin: string, action: string, effect: Effect): void {
    this.#add(admin, action, effect.xpath, effect.before, effect.after);
  }

  noteCommand(admin: string, command: string): void {
    this.#add(admin, command, "", undefined, undefined);
  }

  #add(admin: string, command: string, path: string, before: string | undefined, after: string | undefined): void {
    const device = this.#device;
    const time = device.now();
    const seqno = this.#records.length + 1;
    this.#records.push(
      new Map([
        ...common("CONFIG", { serial: device.serial, time, seqno, deviceName: hostname(device.running) }),
        ["host", "127.0.0.1"],
        ["vsys", ""],
        ["cmd", command],
        ["admin", admin],
        ["client", "XMLAPI"],
        ["result", "Succeeded"],
        ["path", shortPath(path)],
        ["before-change-preview", before ?? ""],
        ["after-change-preview", after ?? ""],
        ["full-path", path],
        ["comment", device.auditComments.get(path) ?? ""],
      ]),
    );
  }
}

/** Returns the path for the log's short column: names without predicates. */
function shortPath(xpath: string): string {
  return xpath
    .replaceAll(/\[@name=(?:'([^']*)'|"([^"]*)")\]/g, (_, single: string | undefined, double: string | undefined) => ` ${single ?? double}`)
    .replace(/^\//, "")
    .replaceAll("/", " ");
}
