import type { Administrator } from "./access/administrators.js";
import type { LabCapabilities } from "./capabilities.js";
import type { Clock } from "./clock.js";
import type { PairVersions } from "./commit/pair.js";
import type { LabCertificate } from "./http/certificate.js";
import type { ProjectionOptions } from "./manager/policy-projection.js";
import type { PushDefaults, PushLimits, PushWords } from "./manager/push-order.js";
import type { SelectiveOptions } from "./manager/selective.js";
import type { Flow } from "./traffic/flow.js";

/** One lab firewall. */
export interface DeviceOptions {
  /** `fw1`, `fw2` … when left out. */
  readonly name?: string;
  /** The running configuration as XML, or a path to a file of it; a small one of the lab's own when left out. */
  readonly config?: string | Uint8Array;
  readonly configFile?: string;
  /** 11.1.4 when left out; multi-config is off below 10.1. */
  readonly version?: string;
  readonly model?: string;
  readonly serial?: string;
  /** `spec-only` knows nothing but the specification's calls. */
  readonly capabilities?: "spec-only" | Partial<LabCapabilities>;
  /**
   * What `get` says `admin` and `time` of: nodes that were `changed`, as devices do, or also `every` element that the xpath
   * selects, as the specification does. `changed` when left out, `every` where only the specification's calls are known.
   */
  readonly marks?: "changed" | "every";
  /** Whether names, values and references are checked when they are written; on when left out. */
  readonly checks?: boolean;
  /** Notes in `violations` every operation after which a reference leads nowhere or a match list is empty. */
  readonly strict?: boolean;
  readonly administrators?: readonly Administrator[];
  /** Milliseconds; for ever when left out. */
  readonly keyLifetime?: number;
  /** Whether keygen ends an administrator's former keys; off when left out. */
  readonly oneKeyAtATime?: boolean;
  /** Milliseconds that a commit or validation takes; 20 when left out. */
  readonly jobDuration?: number;
  /** Jobs that may wait; 10 when left out. 0 refuses a commit while one is running, as old versions did. */
  readonly commitQueue?: number;
  /** Uncommitted edits at most; no ceiling when left out (250 was seen on devices). */
  readonly maxPendingChanges?: number;
  /** Bytes of a request at most; 5 MB when left out, as the vendor advises. */
  readonly maxRequestBytes?: number;
  /** Bytes of a URL at most; more is answered with HTTP 414 and HTML. 8,000 when left out. */
  readonly maxUrlBytes?: number;
  readonly renameRewrites?: boolean;
  readonly deleteMissing?: "refused" | "silent";
  /** The other device of a pair, by name; the first of a pair is active. */
  readonly peer?: string;
  /** Refuses writes on the passive peer (code 15); on when left out. */
  readonly passiveRefuses?: boolean;
  /** Of a firewall: the name of its manager in this lab, which knows it by its serial number. */
  readonly manager?: string;
  /** Of a manager: what a push means that does not say so. */
  readonly pushDefaults?: Partial<PushDefaults>;
  /** Of a manager: pushes of some administrators' work. */
  readonly selective?: Partial<SelectiveOptions>;
  /** Of a manager: how it makes of groups what firewalls get, where sources disagree. */
  readonly projection?: Partial<ProjectionOptions>;
  /** Of a manager: what it makes of a push that it does not just take, where nobody wrote it down. */
  readonly pushLimits?: Partial<PushLimits>;
  /** Of a manager in a pair: numbers of versions, which each has of its own. */
  readonly pairVersions?: Partial<PairVersions>;
  /** Of a manager: words of a push and of its job which nobody recorded. */
  readonly pushWords?: Partial<PushWords>;
  /** Of a manager: serial numbers that `show devicegroups` and `show template-stack` omit. */
  readonly unlisted?: readonly string[];
  /** Traffic that its logs tell of, as the running configuration judges it; more by `traffic.add` and the control at `/lab/flows`. */
  readonly flows?: readonly Flow[];
  /** Addresses behind FQDNs and the URLs of external lists; nothing is behind others. */
  readonly resolves?: Readonly<Record<string, readonly string[]>>;
  /** Also served without TLS. */
  readonly plainHttp?: boolean;
}

export interface LabOptions {
  readonly devices?: readonly DeviceOptions[];
  /** Of the first device; the next ones follow. 0, or left out, takes free ones. */
  readonly port?: number;
  /** 127.0.0.1 when left out. */
  readonly host?: string;
  /** Written, with `ca.pem` beside it, once all ports answer; `lab.close()` removes neither. */
  readonly readyFile?: string;
  /** DNS names that the certificate is made for, instead of localhost and 127.0.0.1: a certificate of the wrong host. */
  readonly certificateNames?: readonly string[];
  /** One that other services of the lab have, too; one of its own when left out. */
  readonly certificate?: LabCertificate;
  readonly clock?: Clock;
  readonly random?: (length: number) => Buffer;
}
