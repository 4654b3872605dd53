import { PlumblineError } from "../../../core/errors.js";
import { Lazy } from "../../../core/lazy.js";
import type { Caller } from "../client/caller.js";
import { OpenstackError } from "../client/openstack-error.js";
import type { ServiceType } from "../client/request.js";
import type { CloudSession } from "../identity/cloud-session.js";
import { readVersions, type ServiceVersion, VERSION_STEP } from "./versions.js";

/** Address of one version of a service. */
export interface ServiceAddress {
  readonly service: ServiceType;
  /** Scheme, host and port from the catalog. */
  readonly origin: string;
  /** Path of the service without the version. It returns the list of versions. No slash at the end. */
  readonly root: string;
  /** Path of the version, with the project if the address contains one. No slash at the end. */
  readonly path: string;
  /** For example `v2.1`. */
  readonly version: string;
}

/** Supported versions, the best first. The first is used if a service does not list its versions. */
const SPOKEN: Readonly<Record<ServiceType, readonly [string, ...string[]]>> = {
  identity: ["v3", "v2.0"],
  network: ["v2.0"],
  compute: ["v2.1", "v2"],
  image: ["v2"],
  volume: ["v3", "v2"],
};

/** Finds and caches the address of each service: from the catalog, with the version from the service if the catalog omits it. */
export class ServiceAddresses {
  readonly #urlOf: (service: ServiceType, session: CloudSession) => URL;
  readonly #caller: Caller;
  readonly #target: string;
  readonly #addresses = new Map<string, Lazy<ServiceAddress>>();
  readonly #versions = new Map<string, Lazy<readonly ServiceVersion[]>>();

  constructor(urlOf: (service: ServiceType, session: CloudSession) => URL, caller: Caller, target: string) {
    this.#urlOf = urlOf;
    this.#caller = caller;
    this.#target = target;
  }

  of(service: ServiceType, session: CloudSession): Promise<ServiceAddress> {
    const url = this.#urlOf(service, session);
    return once(this.#addresses, `${service} ${url.href} ${session.project?.id}`, () => this.#find(service, url, session));
  }

  versions(service: ServiceType, session: CloudSession): Promise<readonly ServiceVersion[]> {
    return this.#versionsAt(service, splitAddress(this.#urlOf(service, session)));
  }

  async #find(service: ServiceType, url: URL, session: CloudSession): Promise<ServiceAddress> {
    const { origin, root, version, rest } = splitAddress(url);
    const step = version ?? this.#choose(service, origin, await this.#versionsAt(service, { origin, root }));
    return { service, origin, root, version: step, path: `${root}/${step}${rest ?? projectStep(service, step, session)}` };
  }

  #choose(service: ServiceType, origin: string, versions: readonly ServiceVersion[]): string {
    const spoken = SPOKEN[service];
    const found = spoken.find((step) => versions.some((version) => version.step === step));
    if (found !== undefined || versions.length === 0) return found ?? spoken[0];
    const offered = versions.map(({ id }) => id).join(", ");
    throw new PlumblineError(
      "service-version-unknown",
      `the ${service} service at ${origin} offers ${offered}, and none of ${spoken.join(", ")}`,
      {
        where: { target: this.#target },
        next: "Check the address of the service, or set one with its version in endpoints of the target.",
      },
    );
  }

  #versionsAt(service: ServiceType, { origin, root }: Pick<ServiceAddress, "origin" | "root">): Promise<readonly ServiceVersion[]> {
    return once(this.#versions, `${origin}${root}`, () => discover(this.#caller, service, origin, root));
  }
}

/** Reads the versions of a service, without a token. Empty if the reply is not a version document. */
export async function discover(caller: Caller, service: ServiceType, origin: string, root: string): Promise<ServiceVersion[]> {
  try {
    const reply = await caller.call({
      service,
      origin,
      method: "GET",
      path: `${root}/`,
      headers: {},
      body: undefined,
      words: `GET ${root}/`,
      secrets: [],
      repeatable: true,
    });
    return readVersions(reply.body);
  } catch (error) {
    if (isUninformative(error)) return [];
    throw error;
  }
}

const NO_ANSWER: ReadonlySet<string> = new Set(["unexpected-http-status", "reply-html", "reply-not-json", "reply-empty"]);
const NO_VERSIONS: ReadonlySet<string> = new Set(["not-found", "unauthorized", "forbidden", "not-offered", "invalid"]);

/** A proxy may hide the root of a service. A service that does not respond at all is an error. */
function isUninformative(error: unknown): boolean {
  if (error instanceof OpenstackError) return NO_VERSIONS.has(error.refusal);
  return error instanceof PlumblineError && NO_ANSWER.has(error.code);
}

/** Splits an address: `https://cloud/compute/v2.1/PROJECT` has root `/compute`, version `v2.1`, and rest `/PROJECT`. */
export function splitAddress(url: URL): {
  readonly origin: string;
  readonly root: string;
  readonly version: string | undefined;
  readonly rest: string | undefined;
} {
  const steps = url.pathname.split("/").filter((step) => step !== "");
  const at = steps.findLastIndex((step) => VERSION_STEP.test(step));
  const pathOf = (some: readonly string[]): string => some.map((step) => `/${step}`).join("");
  if (at < 0) return { origin: url.origin, root: pathOf(steps), version: undefined, rest: undefined };
  return { origin: url.origin, root: pathOf(steps.slice(0, at)), version: steps[at], rest: pathOf(steps.slice(at + 1)) };
}

/** The old compute API and the volume service require the project in the path. */
function projectStep(service: ServiceType, step: string, { project }: CloudSession): string {
  const isNeeded = service === "volume" || (service === "compute" && step === "v2");
  return isNeeded && project !== undefined ? `/${project.id}` : "";
}

function once<T>(made: Map<string, Lazy<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const lazy = made.get(key) ?? new Lazy(make);
  made.set(key, lazy);
  return lazy.get();
}
