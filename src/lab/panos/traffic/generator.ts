import { dateTime } from "../clock.js";
import type { LabDevice } from "../device.js";
import { common, type LogRecord } from "../logs/record.js";
import { hostname } from "../state/system-facts.js";
import type { Flow } from "./flow.js";
import { type Judgement, judge } from "./judge.js";
import { RuleHits } from "./rule-hits.js";

/** Maximum number of records in each log. The oldest records are deleted. */
const KEPT = 20_000;

interface Running {
  readonly flow: Flow;
  /** Time of the next session, in milliseconds since 1970-01-01 UTC. */
  next: number;
}

/** A flow with the decision of the running configuration. */
export interface JudgedFlow extends Flow {
  readonly judgement: Judgement;
}

/**
 * Traffic through a lab firewall. There is no timer: sessions that are due by the clock are decided by the running configuration when a
 * client reads a log or hit counts, and before a commit replaces the configuration.
 */
export class TrafficGenerator {
  readonly hits = new RuleHits();
  readonly #device: LabDevice;
  #flows: Running[] = [];
  readonly #judgements = new Map<Flow, Judgement>();
  #judgedBy: readonly unknown[] = [];
  readonly #logs: Readonly<Record<"TRAFFIC" | "THREAT", LogRecord[]>> = { TRAFFIC: [], THREAT: [] };
  #sessions = 0;

  constructor(device: LabDevice, flows: readonly Flow[]) {
    this.#device = device;
    this.add(flows);
  }

  /** Number of sessions that were opened since the start. */
  get sessions(): number {
    return this.#sessions;
  }

  /** Adds flows. The first session of each flow is due now. */
  add(flows: readonly Flow[]): void {
    const now = this.#device.clock.now();
    this.#flows.push(...flows.map((flow) => ({ flow, next: now })));
  }

  clear(): void {
    this.advance();
    this.#flows = [];
  }

  list(): JudgedFlow[] {
    this.#device.jobs.advance();
    return this.#flows.map(({ flow }) => ({ ...flow, judgement: this.#judge(flow) }));
  }

  /** Oldest first. */
  records(type: "TRAFFIC" | "THREAT"): readonly LogRecord[] {
    this.#device.jobs.advance();
    this.advance();
    return this.#logs[type];
  }

  /** Opens all sessions that are due at `now`, with the current running configuration. */
  advance(now = this.#device.clock.now()): void {
    const due: { readonly time: number; readonly flow: Flow }[] = [];
    for (const running of this.#flows) {
      const every = running.flow.every ?? 1000;
      const skipped = Math.floor((now - running.next) / every) - KEPT;
      if (skipped > 0) running.next += skipped * every;
      for (; running.next <= now; running.next += every) due.push({ time: running.next, flow: running.flow });
    }
    due.sort((a, b) => a.time - b.time);
    for (const { time, flow } of due.slice(-KEPT)) this.#open(time, flow);
    for (const log of Object.values(this.#logs)) if (log.length > KEPT) log.splice(0, log.length - KEPT);
  }

  #open(time: number, flow: Flow): void {
    const judgement = this.#judge(flow);
    this.#sessions++;
    this.hits.note(judgement.vsys, judgement.rule, time, judgement.origin);
    const allowed = judgement.action === "allow";
    if (judgement.logged) this.#note("TRAFFIC", time, flow, judgement, allowed ? ALLOWED : BLOCKED);
    if (flow.threat === undefined || !allowed || !judgement.inspected) return;
    const { id, severity } = flow.threat;
    const action = severity === "high" || severity === "critical" ? "reset-both" : "alert";
    const found: Fields = [
      ["severity", severity],
      ["direction", "client-to-server"],
      ["misc", ""],
      ["threatid", id],
      ["category", "any"],
    ];
    this.#note("THREAT", time, flow, { ...judgement, action }, found);
  }

  #note(type: "TRAFFIC" | "THREAT", time: number, flow: Flow, { vsys, rule, uuid, action }: Judgement, rest: Fields): void {
    const device = this.#device;
    // Higher than the numbers of the sample records of each rule (logs/traffic.ts).
    const seqno = 1_000_000 + this.#sessions;
    const session: Fields = [
      ["src", flow.source],
      ["dst", flow.destination],
      ["rule", rule],
      ["rule_uuid", uuid],
      ["srcuser", flow.user ?? ""],
      ["app", action === "allow" || type === "THREAT" ? flow.application : "not-applicable"],
      ["vsys", vsys],
      ["from", flow.from],
      ["to", flow.to],
      ["sport", String(40_000 + (this.#sessions % 20_000))],
      ["dport", String(flow.port)],
      ["proto", flow.protocol ?? "tcp"],
      ["action", action],
      ["sessionid", String(this.#sessions)],
      ["repeatcnt", "1"],
    ];
    const head = common(type, { serial: device.serial, time: dateTime(time), seqno, deviceName: hostname(device.running) });
    this.#logs[type].push(new Map([...head, ...session, ...rest]));
  }

  #judge(flow: Flow): Judgement {
    const { running, attachment } = this.#device;
    const by = [running, attachment?.handed];
    if (by.some((each, at) => this.#judgedBy[at] !== each)) this.#judgements.clear();
    this.#judgedBy = by;
    const pushed = attachment?.handed.policies.get(flow.vsys ?? "vsys1")?.tree;
    const known = this.#judgements.get(flow) ?? judge(running, flow, undefined, pushed);
    this.#judgements.set(flow, known);
    return known;
  }
}

type Fields = [string, string][];

const ALLOWED: Fields = [
  ["bytes", "4096"],
  ["packets", "12"],
  ["session_end_reason", "tcp-fin"],
];
const BLOCKED: Fields = [
  ["bytes", "78"],
  ["packets", "1"],
  ["session_end_reason", "policy-deny"],
];
