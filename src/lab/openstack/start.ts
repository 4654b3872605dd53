import { type LabCertificate, makeCertificate } from "../panos/http/certificate.js";
import type { Fault } from "./faults/fault.js";
import { type Listener, listen } from "./http/listen.js";
import type { JournalEntry } from "./journal.js";
import { type Act, LabCore } from "./lab-core.js";
import { type OpenstackLabOptions, SERVICES, type Service, USUAL_PORTS } from "./options.js";
import { OpenstackWorld } from "./world/world.js";

export interface RunningOpenstackLab {
  /** Base addresses by service, without version. The lab's own control is at `/lab/` of each. */
  readonly urls: Readonly<Record<Service, string>>;
  /** What a client is told first: the identity service's v3. */
  readonly authUrl: string;
  /** The cloud itself, to look into and to follow. */
  readonly world: OpenstackWorld;
  /** All requests, in the order of their arrival. */
  readonly journal: readonly JournalEntry[];
  /** What clients have to trust, where the lab serves TLS. */
  readonly caPem: string | undefined;
  /** Arms a fault for the requests that it matches. */
  fault(fault: Fault): void;
  clearFaults(): void;
  /** Lets requests go on that a `hold` fault stopped. */
  release(): void;
  /** Sends a request as somebody, past tokens, faults and the wire. */
  act(act: Act): { readonly status: number; readonly text: string };
  close(): Promise<void>;
}

/** Starts identity, network, compute, image and volume services over one world in this process. Resolves when all of them answer. */
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
