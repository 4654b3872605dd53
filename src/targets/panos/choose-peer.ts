import { PlumblineError } from "../../core/errors.js";
import type { Logger } from "../../core/logger.js";
import type { Identity } from "../../plan/platform.js";
import type { PanosClient } from "./client/client.js";
import { passes } from "./client/retry.js";
import { readHighAvailability } from "./high-availability.js";
import type { PanosTargetConfiguration } from "./settings.js";
import { identityOf, readSystemInfo, type SystemInfo } from "./system-info.js";

export interface Answer {
  readonly client: PanosClient;
  readonly info: SystemInfo;
  readonly identity: Identity;
  readonly peerSerial: string | undefined;
  /** Known serial numbers of the device and of its peer. */
  readonly devices: readonly string[];
  readonly isSynchronized?: boolean | undefined;
}

/** Reads identity and role of one device. */
export async function readIdentity(client: PanosClient): Promise<Answer> {
  const [info, { role, peerSerial, isSynchronized }] = await Promise.all([readSystemInfo(client), readHighAvailability(client)]);
  const identity = identityOf(info, role);
  const devices = [identity.serial, peerSerial].filter((serial) => serial !== undefined);
  return { client, info, identity, peerSerial, devices, isSynchronized };
}

/**
 * Returns the device to work with. In a pair this is the active peer; a pair with no active peer or with two is refused. A single address
 * is accepted in any role, so that a passive device can be read.
 */
export async function choosePeer(
  clients: readonly PanosClient[],
  configuration: PanosTargetConfiguration,
  logger: Logger,
): Promise<Answer> {
  const [only, ...others] = clients;
  if (only !== undefined && others.length === 0) {
    const answer = await readIdentity(only);
    checkIdentity([answer], answer, configuration);
    return answer;
  }
  const answers = await queryAll(clients, logger);
  const active = answers.filter(({ identity }) => identity.role === "active");
  const [chosen] = active;
  if (chosen === undefined || active.length > 1) throw noSingleActive(answers, active.length, configuration.name);
  checkIdentity(answers, chosen, configuration);
  return { ...chosen, devices: answers.flatMap(({ devices }) => devices) };
}

/** Reads all peers. A peer that is down does not prevent work with the active peer. */
async function queryAll(clients: readonly PanosClient[], logger: Logger): Promise<readonly Answer[]> {
  const settled = await Promise.allSettled(clients.map(readIdentity));
  const answers = settled.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  for (const outcome of settled) {
    if (outcome.status === "fulfilled") continue;
    const reason: unknown = outcome.reason;
    if (answers.length === 0 || !(reason instanceof PlumblineError) || !passes(reason)) throw reason;
    logger.warn({ target: reason.where.target, code: reason.code }, `one peer does not answer: ${reason.message}`);
  }
  return answers;
}

function noSingleActive(answers: readonly Answer[], active: number, target: string): PlumblineError {
  const roles = answers.map(({ client, identity }) => `${client.place.origin} says ${identity.role}`).join(", ");
  const message = active > 1 ? `both peers report that they are active: ${roles}` : `no peer reports that it is active: ${roles}`;
  return new PlumblineError("no-single-active-peer", message, {
    where: { target },
    next: "Set the pair right first: exactly one device must be active.",
    severity: "refused",
  });
}

/** Prevents writing to a wrong device: the device or its peer must match the configured serial number and model. */
function checkIdentity(answers: readonly Answer[], chosen: Answer, configuration: PanosTargetConfiguration): void {
  const { serial, model } = configuration.identity;
  const serials = [...answers.map(({ identity }) => identity.serial), chosen.peerSerial];
  if (serial !== undefined && !serials.includes(serial)) {
    throw wrongDevice(`serial number ${chosen.identity.serial ?? "unknown"}`, serial, configuration.name);
  }
  if (model !== undefined && chosen.identity.model !== model) {
    throw wrongDevice(`model ${chosen.identity.model ?? "unknown"}`, model, configuration.name);
  }
}

function wrongDevice(has: string, wanted: string, target: string): PlumblineError {
  return new PlumblineError("wrong-device", `the device that answers has ${has}, not ${wanted}`, {
    where: { target },
    next: "Check the url of the target; change identity in plumbline.yaml only when the device was really exchanged.",
    severity: "refused",
  });
}
