import { announce } from "./announce.js";
import { makeCertificate } from "./panos/http/certificate.js";
import type { LabOptions } from "./panos/options.js";
import { firewallFacts, type RunningLab, startLab } from "./panos/start.js";
import type { VerdictLabOptions } from "./verdict/options.js";
import { type RunningVerdictLab, startVerdictLab } from "./verdict/start.js";

/** What to serve; a service that is left out is not started. */
export interface ServicesOptions {
  readonly firewall?: Omit<LabOptions, "readyFile" | "certificate"> | undefined;
  readonly verdict?: Omit<VerdictLabOptions, "certificate"> | undefined;
  /** Written, with `ca.pem` beside it, once all of them answer. */
  readonly readyFile: string;
}

export interface RunningServices {
  readonly firewall: RunningLab | undefined;
  readonly verdict: RunningVerdictLab | undefined;
  close(): Promise<void>;
}

/** Starts several services of the lab in this process, under one certificate authority and one ready file. */
export async function startServices({ firewall, verdict, readyFile }: ServicesOptions): Promise<RunningServices> {
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
    await announce(readyFile, certificate.caPem, {
      ...(firewalls === undefined ? {} : firewallFacts(firewalls.devices)),
      ...(verdicts === undefined ? {} : { verdict: verdicts.url, verdictKeys: [...verdicts.state.keys] }),
    });
    return { firewall: firewalls, verdict: verdicts, close };
  } catch (error) {
    await close();
    throw error;
  }
}
