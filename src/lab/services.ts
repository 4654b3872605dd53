import { announce } from "./announce.js";
import { type ContrailLabOptions, type RunningContrailLab, startContrailLab } from "./contrail/start.js";
import type { OpenstackLabOptions } from "./openstack/options.js";
import { type RunningOpenstackLab, startOpenstackLab } from "./openstack/start.js";
import { makeCertificate } from "./panos/http/certificate.js";
import type { LabOptions } from "./panos/options.js";
import { firewallFacts, type RunningLab, startLab } from "./panos/start.js";
import { followNetworks } from "./shared-world.js";
import type { VerdictLabOptions } from "./verdict/options.js";
import { type RunningVerdictLab, startVerdictLab } from "./verdict/start.js";

/** Services to start. An undefined service is not started. */
export interface ServicesOptions {
  readonly firewall?: Omit<LabOptions, "readyFile" | "certificate"> | undefined;
  readonly verdict?: Omit<VerdictLabOptions, "certificate"> | undefined;
  /** Identity, network, compute, image and volume services that share one world. They use plain HTTP, as in the specification. */
  readonly cloud?: OpenstackLabOptions | undefined;
  /** If there is also a cloud, the controller follows the cloud's networks. */
  readonly controller?: ContrailLabOptions | undefined;
  /** Written, together with `ca.pem`, when all services listen. */
  readonly readyFile: string;
}

export interface RunningServices {
  readonly firewall: RunningLab | undefined;
  readonly verdict: RunningVerdictLab | undefined;
  readonly cloud: RunningOpenstackLab | undefined;
  readonly controller: RunningContrailLab | undefined;
  close(): Promise<void>;
}

/** Starts several services of the lab in this process, with one certificate authority and one ready file. */
export async function startServices({ firewall, verdict, cloud, controller, readyFile }: ServicesOptions): Promise<RunningServices> {
  const certificate = await makeCertificate(Date.now(), firewall?.certificateNames);
  const running: { close(): Promise<void> }[] = [];
  const started = async <T extends { close(): Promise<void> }>(service: Promise<T>): Promise<T> => {
    const one = await service;
    running.push(one);
    return one;
  };
  const close = async (): Promise<void> => {
    await Promise.all(running.map((service) => service.close()));
  };
  try {
    const firewalls = firewall === undefined ? undefined : await started(startLab({ ...firewall, certificate }));
    const verdicts = verdict === undefined ? undefined : await started(startVerdictLab({ ...verdict, certificate }));
    const clouds = cloud === undefined ? undefined : await started(startOpenstackLab(cloud));
    const controllers = controller === undefined ? undefined : await started(startContrailLab(controller));
    if (clouds !== undefined && controllers !== undefined) followNetworks(clouds.world, controllers.world);
    await announce(readyFile, certificate.caPem, {
      ...(firewalls === undefined ? {} : firewallFacts(firewalls.devices)),
      ...(verdicts === undefined ? {} : { verdict: verdicts.url, verdictKeys: [...verdicts.state.keys] }),
      ...clouds?.urls,
      ...(controllers === undefined ? {} : { controller: controllers.url }),
    });
    return { firewall: firewalls, verdict: verdicts, cloud: clouds, controller: controllers, close };
  } catch (error) {
    await close();
    throw error;
  }
}
