import type { Clock } from "../panos/clock.js";
import type { LabCertificate } from "../panos/http/certificate.js";
import type { KnownFile } from "./known-files.js";

/** Options of the lab's verdict service. */
export interface VerdictLabOptions {
  /** Files in addition to the demonstration set. A later file replaces an earlier one with the same SHA-256. */
  readonly hashes?: readonly KnownFile[];
  /** Accepted API keys. Defaults to `lab-verdict-key`. */
  readonly keys?: readonly string[];
  /** Queries per day and key. Defaults to 1,050, like the service's standard account. A bulk query counts once. */
  readonly allotment?: number;
  /** Root element of replies: `analysis` as in the specification (the default), or `wildfire` as in the real service. */
  readonly root?: "analysis" | "wildfire";
  /** Unknown hashes are in the reply with verdict -102 (the default), or omitted. */
  readonly unknown?: "reported" | "absent";
  /** Clock of the service. */
  readonly clock?: Clock;
  /** Defaults to 0, which chooses a free port. */
  readonly port?: number;
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Whether to serve without TLS as well. */
  readonly plainHttp?: boolean;
  /** Defaults to a new certificate. */
  readonly certificate?: LabCertificate;
}

/** Default API key. */
export const LAB_KEY = "lab-verdict-key";

export const DEFAULT_ALLOTMENT = 1_050;
