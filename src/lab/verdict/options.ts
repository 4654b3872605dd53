import type { Clock } from "../panos/clock.js";
import type { LabCertificate } from "../panos/http/certificate.js";
import type { KnownFile } from "./known-files.js";

/** The lab's verdict service. */
export interface VerdictLabOptions {
  /** Files that it knows beside its own demonstration set; a later one of the same SHA-256 wins. */
  readonly hashes?: readonly KnownFile[];
  /** API keys that it takes; `lab-verdict-key` when left out. */
  readonly keys?: readonly string[];
  /** Queries a day and key; 1,050 when left out, as for the service's standard account. A bulk query counts once. */
  readonly allotment?: number;
  /** Root of replies: `analysis` as in the specification when left out, `wildfire` as the service has it. */
  readonly root?: "analysis" | "wildfire";
  /** Hashes that are not known: in the reply with verdict -102 when left out, or left out of the reply. */
  readonly unknown?: "reported" | "absent";
  /** Milliseconds since 1970 come from here. */
  readonly clock?: Clock;
  /** 0, or left out, takes a free one. */
  readonly port?: number;
  /** 127.0.0.1 when left out. */
  readonly host?: string;
  /** Also served without TLS. */
  readonly plainHttp?: boolean;
  /** One of its own when left out. */
  readonly certificate?: LabCertificate;
}

/** The key of a lab whose keys were not chosen. */
export const LAB_KEY = "lab-verdict-key";

export const DEFAULT_ALLOTMENT = 1_050;
