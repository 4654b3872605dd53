import { escapeText } from "../../../core/tree/xml/escape.js";
import { timeOfDay } from "../clock.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { jobNotFound } from "../device-messages.js";
import { enqueued, type Reply, result, success } from "../http/reply.js";
import { hostname, vsysEntries } from "../state/system-facts.js";
import { parseFilter } from "./filter.js";
import type { LogRecord } from "./record.js";
import { ruleRecords, systemRecords } from "./traffic.js";

const LOG_TYPES: readonly string[] = [
  ...["traffic", "threat", "config", "system", "hipmatch", "globalprotect", "wildfire", "url", "data", "corr", "corr-detail", "corr-categ"],
  ...["userid", "auth", "gtp", "external", "iptag", "decryption"],
];

export interface LogQuery {
  readonly type: string;
  readonly filter: string;
  /** Default 20, maximum 5,000. */
  readonly count: number;
  readonly skip: number;
  readonly direction: "backward" | "forward";
}

interface LogJob {
  readonly id: number;
  readonly enqueued: number;
  readonly duration: number;
  readonly records: readonly LogRecord[];
}

/** Log queries. A query enqueues a job. Its result can be fetched once, after the job has ended; then the job is deleted. */
export class LogQueries {
  readonly #device: LabDevice;
  readonly #jobs = new Map<number, LogJob>();

  constructor(device: LabDevice) {
    this.#device = device;
  }

  create(query: LogQuery): Reply {
    const device = this.#device;
    const test = parseFilter(query.filter);
    const found = recordsOf(device, query.type).filter(test);
    if (query.direction === "backward") found.reverse();
    const id = device.jobs.nextId();
    const records = found.slice(query.skip, query.skip + query.count);
    this.#jobs.set(id, { id, enqueued: device.clock.now(), duration: (device.options.jobDuration ?? 20) / 4, records });
    return enqueued(`query job enqueued with jobid ${id}`, id);
  }

  get(id: string): Reply {
    const job = this.#find(id);
    const now = this.#device.clock.now();
    if (now < job.enqueued + job.duration) return result([this.#jobXml(job, "ACT", now)]);
    this.#jobs.delete(job.id);
    const entries = job.records.map(
      (record, index) => `<entry logid="${job.id}${String(index + 1).padStart(8, "0")}">${fieldsXml(record)}</entry>`,
    );
    const count = job.records.length;
    return result([
      this.#jobXml(job, "FIN", now),
      `<log><logs count="${count}" progress="100">`,
      ...entries,
      "</logs></log>",
      metaXml(this.#device),
    ]);
  }

  finish(id: string): Reply {
    this.#jobs.delete(this.#find(id).id);
    return success(undefined, ["<msg>query job terminated</msg>"]);
  }

  #find(id: string): LogJob {
    const job = this.#jobs.get(Number(id));
    if (job === undefined) throw jobNotFound(id);
    return job;
  }

  #jobXml({ id, enqueued: start, records }: LogJob, status: string, now: number): string {
    const times = `<tenq>${timeOfDay(start)}</tenq><tdeq>${timeOfDay(start)}</tdeq><tlast>${timeOfDay(now)}</tlast>`;
    return `<job>${times}<status>${status}</status><id>${id}</id><cached-logs>${records.length}</cached-logs></job>`;
  }
}

function recordsOf(device: LabDevice, type: string): LogRecord[] {
  switch (type) {
    case "config":
      return [...device.configLog.records];
    case "system":
      return systemRecords(device);
    case "traffic":
      return [...ruleRecords(device, "TRAFFIC"), ...device.traffic.records("TRAFFIC")];
    case "threat":
      return [...ruleRecords(device, "THREAT"), ...device.traffic.records("THREAT")];
    default:
      if (LOG_TYPES.includes(type)) return [];
      throw new DeviceError("17", ` log-type -> ${type} is invalid`);
  }
}

function fieldsXml(record: LogRecord): string {
  let xml = "";
  for (const [field, value] of record) xml += value === "" ? `<${field}/>` : `<${field}>${escapeText(value)}</${field}>`;
  return xml;
}

function metaXml(device: LabDevice): string {
  const vsys = vsysEntries(device.running).map(
    ({ name = "" }) => `<entry name="${escapeText(name)}"><display-name>${escapeText(name)}</display-name></entry>`,
  );
  const host = `<hostname>${escapeText(hostname(device.running))}</hostname>`;
  return `<meta><devices><entry name="localhost.localdomain">${host}<vsys>${vsys.join("")}</vsys></entry></devices></meta>`;
}
