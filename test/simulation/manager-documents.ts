import type { TargetConfiguration } from "../../src/desired/configuration/configuration.js";
import type { Writers } from "../../src/engine/pass/options.js";
import { systemDependencies } from "../../src/targets/panos/dependencies.js";
import { openPanosReader } from "../../src/targets/panos/reader.js";
import type { PanosTargetConfiguration } from "../../src/targets/panos/settings.js";
import { openPanosWriter } from "../../src/targets/panos/writer.js";
import { SERIALS } from "../lab/panos/manager/managed-lab.js";
import type { Chance } from "./chance.js";
import { configurationOf, OUR_ADMIN } from "./documents.js";
import type { ManagerLab } from "./manager.js";
import type { ManagerScript } from "./manager-script.js";
import type { Scheduler } from "./scheduler.js";
import type { Entries, Script } from "./script.js";

/** `plumbline.yaml` of a manager that pushes. */
export function managerConfiguration(script: Pick<Script, "ledger">, manager: ManagerScript): string {
  const { others, firewalls, canary, batch, isApart } = manager;
  const rollout = [
    ...(canary === undefined ? [] : [`canary: ["${SERIALS[canary]}"]`]),
    ...(batch === undefined ? [] : [`batch: ${batch}`]),
    ...(isApart ? [`apart: [["${SERIALS.a}", "${SERIALS.b}"]]`] : []),
  ];
  const push = `{ timeout: 60, others: ${others}${rollout.length === 0 ? "" : `, rollout: { ${rollout.join(", ")} }`} }`;
  const target = `kind: panos, url: "https://192.0.2.2", credentials: { username: ${OUR_ADMIN}, password: "\${env:PW}" }, mode: enforce, takeoverAfter: 600`;
  return configurationOf(script, `${target}, firewalls: ${firewalls}, push: ${push}`);
}

const SCOPES: Readonly<Record<string, string>> = { g: "device-group/offices", p: "device-group/plants", s: "shared" };
const PROBE = "probe:\n  - { tcp: { host: 192.0.2.80, port: 443 }, attempts: 1 }\n";

/** One document for each declared place. */
export function managerDocuments(entries: Entries, isProbed: boolean): Record<string, string> {
  const files: Record<string, string> = {};
  const probe = isProbed ? PROBE : "";
  for (const [letter, scope] of Object.entries(SCOPES)) {
    const rows = Object.entries(entries).filter(([name]) => name.startsWith(letter));
    if (rows.length === 0) continue;
    const tags = rows.map(([name, value]) => `    ${name}: { comments: ${value} }\n`).join("");
    files[`edge/${letter}.yaml`] = `target: edge\nscope: ${scope}\n${probe}config:\n  tag:\n${tags}`;
  }
  if (entries.t !== undefined) {
    const system = `{ devices: { localhost.localdomain: { deviceconfig: { system: { timezone: ${entries.t} } } } } }`;
    files["edge/t.yaml"] = `target: edge\nscope: template/branch-net\n${probe}config:\n  config: ${system}\n`;
  }
  return files;
}

const nothing = (): void => undefined;

/** Readers and writers as they are, over the modelled wire, of the process that runs now. */
export function managerConnections(lab: ManagerLab, scheduler: Scheduler, chance: Chance): Writers {
  const dependencies = {
    ...systemDependencies({ debug: nothing, warn: nothing }),
    clock: { now: () => scheduler.now, sleep: (milliseconds: number) => scheduler.wait(milliseconds) },
    random: () => chance.next(),
    dispatcher: () => lab.dispatcher(scheduler.process?.name ?? "nobody"),
  };
  const of = (configuration: TargetConfiguration) => configuration as PanosTargetConfiguration;
  return {
    reader: (configuration: TargetConfiguration) => openPanosReader(of(configuration), dependencies),
    writer: (configuration: TargetConfiguration) => openPanosWriter(of(configuration), dependencies),
    guards: () => ({ management: () => undefined, meaning: () => undefined, neverPruned: () => false }),
  };
}
