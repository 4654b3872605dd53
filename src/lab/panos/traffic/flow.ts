import { isIP } from "node:net";
import { PlumblineError } from "../../../core/errors.js";

/** Sessions of one kind that are opened repeatedly through a lab firewall. */
export interface Flow {
  /** Default: `vsys1`. */
  readonly vsys?: string;
  /** Source zone; `to` is the destination zone. */
  readonly from: string;
  readonly to: string;
  /** IPv4 or IPv6 addresses. */
  readonly source: string;
  readonly destination: string;
  /** Default: an unknown user. */
  readonly user?: string;
  readonly application: string;
  /** Default: `tcp`. */
  readonly protocol?: "tcp" | "udp";
  readonly port: number;
  /** Interval between sessions in milliseconds. Default: 1,000. */
  readonly every?: number;
  /** Threat that a security profile of the rule detects. */
  readonly threat?: { readonly id: string; readonly severity: "informational" | "low" | "medium" | "high" | "critical" };
}

const TEXTS = ["from", "to", "source", "destination", "application"] as const;

/** Parses flows from JSON. Throws `lab-flow-invalid`. */
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
