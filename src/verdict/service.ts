import type { SecretValue } from "../core/secret.js";
import type { TlsTrust } from "../core/tls-trust.js";

/** Where verdicts are asked for, and as whom. The key is the verdict service's own, not that of a firewall. */
export interface VerdictService {
  /** Base address, to which `/publicapi/get/verdicts` is added. */
  readonly url: string;
  readonly key: SecretValue;
  readonly tls: TlsTrust;
  /** Seconds for one request. */
  readonly timeout: number;
  /** Queries a day that the account may make. */
  readonly allotment: number;
}

/** What the service's standard account may ask in a day; a request for many hashes counts once (docs/devices/verdict-service.md). */
export const STANDARD_ALLOTMENT = 1_050;
