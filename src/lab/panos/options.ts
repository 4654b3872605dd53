import type { Administrator } from "./access/administrators.js";
import type { LabCapabilities } from "./capabilities.js";
import type { Clock } from "./clock.js";
import type { PairVersions } from "./commit/pair.js";
import type { LabCertificate } from "./http/certificate.js";
import type { ProjectionOptions } from "./manager/policy-projection.js";
import type { PushDefaults, PushLimits, PushWords } from "./manager/push-order.js";
import type { SelectiveOptions } from "./manager/selective.js";
import type { Flow } from "./traffic/flow.js";

/** Version, model and serial number, as `show system info` returns them. */
interface SystemFacts {
  /** Default: 11.1.4. Versions before 10.1 have no multi-config. */
  readonly version?: string;
  readonly model?: string;
  readonly serial?: string;
}

/** Behavior that differs between devices, or that a test disables. */
interface DeviceBehavior {
  /**
   * Elements for which `get` returns `admin` and `time`: only `changed` nodes, as on devices, or also `every` element that the xpath
   * selects, as in the specification. Default: `changed`, or `every` if the device supports only the specification's calls.
   */
  readonly marks?: "changed" | "every";
  /** Whether names, values and references are checked on writes. Default: true. */
  readonly checks?: boolean;
  readonly renameRewrites?: boolean;
  readonly deleteMissing?: "refused" | "silent";
  /** Whether the passive peer refuses writes with code 15. Default: true. */
  readonly passiveRefuses?: boolean;
  /** Milliseconds. Default: keys do not expire. */
  readonly keyLifetime?: number;
  /** Whether keygen revokes an administrator's earlier keys. Default: false. */
  readonly oneKeyAtATime?: boolean;
}

interface DeviceLimits {
  /** Maximum number of waiting jobs. Default: 10. With 0, a commit is refused while another runs, as in old versions. */
  readonly commitQueue?: number;
  /** Maximum number of uncommitted edits. Default: unlimited. A limit of 250 was observed on devices. */
  readonly pendingChanges?: number;
  /** Maximum size of a request in bytes. Default: 5 MB, the limit that the vendor recommends. */
  readonly requestBytes?: number;
  /** Maximum size of a URL in bytes. Longer URLs return HTTP 414 with an HTML page. Default: 8,000. */
  readonly urlBytes?: number;
}

/** Behavior of a manager for which sources disagree or no documentation exists. */
interface PanoramaOptions {
  /** Defaults of options that a push omits. */
  readonly pushDefaults?: Partial<PushDefaults>;
  /** Selective push of some administrators' changes. */
  readonly selective?: Partial<SelectiveOptions>;
  /** Construction of the pushed configuration. */
  readonly projection?: Partial<ProjectionOptions>;
  readonly pushLimits?: Partial<PushLimits>;
  /** For a pair: version numbers, which each manager counts separately. */
  readonly pairVersions?: Partial<PairVersions>;
  /** Texts of a push and its job that were never recorded from a device. */
  readonly pushWords?: Partial<PushWords>;
  /** Serial numbers that `show devicegroups` and `show template-stack` omit. */
  readonly unlisted?: readonly string[];
}

interface TrafficOptions {
  /** Traffic for the device's logs, as the running configuration decides it. `traffic.add` and `/lab/flows` add more. */
  readonly flows?: readonly Flow[];
  /** Addresses of FQDNs and contents of external lists by URL. Other names have no addresses. */
  readonly resolves?: Readonly<Record<string, readonly string[]>>;
}

/** Options of one lab firewall. */
export interface DeviceOptions {
  /** Default: `fw1`, `fw2` and so on. */
  readonly name?: string;
  /** The running configuration as XML. `configFile` is a path to such XML. Default: a small sample configuration. */
  readonly config?: string | Uint8Array;
  readonly configFile?: string;
  readonly system?: SystemFacts;
  /** `spec-only` supports only the specification's calls. */
  readonly capabilities?: "spec-only" | Partial<LabCapabilities>;
  readonly behavior?: DeviceBehavior;
  readonly limits?: DeviceLimits;
  /** Records in `violations` every operation that creates a dangling reference or an empty match list. */
  readonly strict?: boolean;
  readonly administrators?: readonly Administrator[];
  /** Duration of a commit or validation in milliseconds. Default: 20. */
  readonly jobDuration?: number;
  /** Name of the other device of an HA pair. The first device of a pair is active. */
  readonly peer?: string;
  /** For firewalls: name of the manager in this lab. The manager identifies the firewall by its serial number. */
  readonly manager?: string;
  /** For managers. */
  readonly panorama?: PanoramaOptions;
  readonly traffic?: TrafficOptions;
  /** Whether the device is also served without TLS. */
  readonly plainHttp?: boolean;
}

export interface LabOptions {
  readonly devices?: readonly DeviceOptions[];
  /** Port of the first device; the next devices use the following ports. Default: 0, free ports. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Written together with `ca.pem` in the same folder when all ports accept connections. `lab.close()` does not remove the files. */
  readonly readyFile?: string;
  /** DNS names in the certificate instead of localhost and 127.0.0.1, for tests with a certificate of the wrong host. */
  readonly certificateNames?: readonly string[];
  /** A certificate shared with other services of the lab. Default: a new certificate. */
  readonly certificate?: LabCertificate;
  readonly clock?: Clock;
  readonly random?: (length: number) => Buffer;
}
