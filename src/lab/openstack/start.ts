import { type LabCertificate, makeCertificate } from "../panos/http/certificate.js";
import type { Fault } from "./faults/fault.js";
import { type Listener, listen } from "./http/listen.js";
import type { JournalEntry } from "./journal.js";
import { type Act, LabCore } from "./lab-core.js";
import { type OpenstackLabOptions, SERVICES, type Service, USUAL_PORTS } from "./options.js";
import { OpenstackWorld } from "./world/world.js";

export interface RunningOpenstackLab {
  /** Base URLs by service, without a version. Each service has the lab's control endpoint below `/lab/`. */
  readonly urls: Readonly<Record<Service, string>>;
  /** URL that clients are configured with: v3 of the identity service. */
  readonly authUrl: string;
  /** The cloud without HTTP, for tests and for services that follow it. */
  readonly world: OpenstackWorld;
  /** All requests in the order of arrival. */
  readonly journal: readonly JournalEntry[];
  /** The CA certificate that clients must trust, if the lab serves TLS. */
  readonly caPem: string | undefined;
  /** Arms a fault for matching requests. */
  fault(fault: Fault): void;
  clearFaults(): void;
  /** Releases requests that a `hold` fault stopped. */
  release(): void;
  /** Sends a request as a given user, without a token, faults and HTTP. */
  act(act: Act): { readonly status: number; readonly text: string };
  close(): Promise<void>;
}

/** Starts identity, network, compute, image and volume services that share one world in this process. Resolves when all of them listen. */
export async function startOpenstackLab(options: OpenstackLabOptions = {}): Promise<RunningOpenstackLab> {
  const core = new LabCore(new OpenstackWorld(options), options);
  const certificate = options.tls === true ? await makeCertificate(Date.now()) : undefined;
  const listeners: Listener[] = [];
  const close = async (): Promise<void> => {
    core.held.release();
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  try {
    for (const service of SERVICES) listeners.push(await listenTo(core, service, certificate));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    urls: core.urls,
    authUrl: `${core.urls.identity}/v3`,
    world: core.world,
    journal: core.journal,
    caPem: certificate?.caPem,
    fault: (fault) => core.faults.add(fault),
    clearFaults: () => core.faults.clear(),
    release: () => core.held.release(),
    act: (act) => core.act(act),
    close,
  };
}

async function listenTo(core: LabCore, service: Service, certificate: LabCertificate | undefined): Promise<Listener> {
  const { ports = USUAL_PORTS, host = "127.0.0.1" } = core.options;
  const port = ports === "free" ? 0 : (ports[service] ?? USUAL_PORTS[service]);
  const listener = await listen(core, service, certificate, host, port);
  core.urls[service] = listener.url;
  return listener;
}
