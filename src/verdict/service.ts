import type { SecretValue } from "../core/secret.js";
import type { TlsTrust } from "../core/tls-trust.js";

/** Address and account of the verdict service. The key belongs to that account, not to a firewall. */
export interface VerdictService {
  /** Base address. The client appends `/publicapi/get/verdicts`. */
  readonly url: string;
  readonly key: SecretValue;
  readonly tls: TlsTrust;
  /** Seconds for one request. */
  readonly timeout: number;
  /** Maximum number of queries per day. */
  readonly allotment: number;
}

/** Daily queries of a standard account. A request for many hashes counts once (docs/contributing/devices/verdict-service.md). */
export const STANDARD_ALLOTMENT = 1_050;
