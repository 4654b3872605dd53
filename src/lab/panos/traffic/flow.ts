import { isIP } from "node:net";
import { PlumblineError } from "../../../core/errors.js";

/** Sessions of one kind that somebody opens again and again through a lab firewall. */
export interface Flow {
  /** `vsys1` when left out. */
  readonly vsys?: string;
  /** Zones. */
  readonly from: string;
  readonly to: string;
  /** Addresses, IPv4 or IPv6. */
  readonly source: string;
  readonly destination: string;
  /** `any` user when left out. */
  readonly user?: string;
  readonly application: string;
  /** `tcp` when left out. */
  readonly protocol?: "tcp" | "udp";
  readonly port: number;
  /** Milliseconds from one session to the next; 1,000 when left out. */
  readonly every?: number;
  /** What a profile of the rule would find in it. */
  readonly threat?: { readonly id: string; readonly severity: "informational" | "low" | "medium" | "high" | "critical" };
}

const TEXTS = ["from", "to", "source", "destination", "application"] as const;

/** Reads flows from JSON. Throws `lab-flow-invalid`. */
export function readFlows(value: unknown): Flow[] {
  return (Array.isArray(value) ? value : [value]).map((each: unknown) => {
    const flow = each as Partial<Flow> | null;
    const missing = TEXTS.find((key) => typeof flow?.[key] !== "string");
    if (missing !== undefined) throw invalid(`${missing} is missing`);
    const { source = "", destination = "", port = 0, every = 1000 } = flow ?? {};
    if (isIP(source) === 0 || isIP(destination) === 0) throw invalid("source and destination are addresses, one each");
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalid("port is a number from 1 to 65535");
    if (!Number.isInteger(every) || every < 10) throw invalid("every is a number of milliseconds, 10 or more");
    return flow as Flow;
  });
}

function invalid(why: string): PlumblineError {
  return new PlumblineError("lab-flow-invalid", `A flow of the lab is not understood: ${why}.`, {
    next: "Write from, to, source, destination, application and port.",
  });
}
