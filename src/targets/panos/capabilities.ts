import type { Capabilities, PendingChange } from "../../plan/platform.js";
import type { PanosClient } from "./client/client.js";
import { type DeviceReply, saysAbsent, saysUnknownCommand } from "./client/reply.js";
import { configRead, op } from "./client/request.js";
import { checkPendingChanges, showChanges, showLocks } from "./commands.js";
import { requireSuccess } from "./device-errors.js";
import { pendingIn } from "./pending-reply.js";
import { deviceEntry } from "./scope.js";
import type { PanosTargetConfiguration } from "./settings.js";
import type { SystemInfo } from "./system-info.js";

/** What the contract says, and what only this target needs to know. */
export interface PanosCapabilities extends Capabilities {
  readonly pendingCheck: boolean;
  /** The running configuration can be read by the action `show`. */
  readonly show: boolean;
  /** Answers more than the calls of the specification. */
  readonly beyondSpecification: boolean;
}

/** Largest request that devices take (docs/devices/panos.md#transport), in bytes as sent. */
const MAX_REQUEST_BYTES = 5_000_000;

/** With GET alone a server's bound on the URL is ours; most allow 8 KB, of which the key takes a part. */
const MAX_GET_BYTES = 7_000;

/** Operations in one batch at most (docs/devices/panos.md#batches). */
const MAX_BATCH_OPERATIONS = 10_000;

/** What one version of a device answers to and what not, by reads alone: a command that it does not know is a capability that it has not. */
export interface Answers {
  readonly changeList: boolean;
  readonly locks: boolean;
  /** Whether it says that something is uncommitted; one that lists it does so by that. */
  readonly pendingCheck: boolean;
  readonly show: boolean;
}

/** What a device answered, and what it had uncommitted as it was asked. */
export interface Asked {
  readonly answers: Answers;
  /** Undefined where that is not listed. */
  readonly pending: readonly PendingChange[] | undefined;
}

/** Asks for what is not `known`, and for what is uncommitted. Any failure but not knowing a command is an error. */
export async function askAnswers(client: PanosClient, known?: Answers): Promise<Asked> {
  if (known?.changeList === false) return { answers: known, pending: undefined };
  const ask = async (cmd: string): Promise<boolean> => offers(await client.send(op(cmd)), client);
  const [changes, locks, show] = await Promise.all([
    client.send(op(showChanges)),
    known?.locks ?? ask(showLocks("config")),
    known?.show ?? offersShow(client),
  ]);
  const changeList = offers(changes, client);
  const pendingCheck = changeList || (await ask(checkPendingChanges));
  return { answers: { changeList, locks, pendingCheck, show }, pending: changeList ? pendingIn(changes) : undefined };
}

/**
 * Moves, renames, batches and partial commits cannot be tried without writing: they are believed of a device that answers any
 * command beyond the specification, batches from version 10.1 on (docs/devices/panos.md#batches).
 */
export function capabilitiesOf(answers: Answers, info: SystemInfo, configuration: PanosTargetConfiguration): PanosCapabilities {
  const { changeList, locks, pendingCheck, show } = answers;
  const beyondSpecification = changeList || locks || pendingCheck;
  return {
    candidate: true,
    atomicBatch: beyondSpecification && atLeast(info.get("sw-version"), 10, 1),
    move: beyondSpecification,
    rename: beyondSpecification,
    locks,
    changeList,
    partialCommit: changeList,
    partialRevert: changeList,
    refusesBesideCommit: changeList && beyondSpecification && atLeast(info.get("sw-version"), 10, 1),
    validate: beyondSpecification && configuration.validate === "before-commit",
    maxRequestBytes: configuration.maxRequestBytes ?? (configuration.http === "get" ? MAX_GET_BYTES : MAX_REQUEST_BYTES),
    maxBatchOperations: configuration.maxBatchOperations ?? MAX_BATCH_OPERATIONS,
    maxPendingChanges: configuration.maxPendingChanges,
    pendingCheck,
    show,
    runningUnreadable: !show,
    beyondSpecification,
  };
}

/** The specification has `get` alone; a node that is not there still shows that the action is known. */
async function offersShow(client: PanosClient): Promise<boolean> {
  const reply = await client.send(configRead("show", deviceEntry.child("deviceconfig").child("system").child("hostname").toString()));
  return saysAbsent(reply) || offers(reply, client);
}

function offers(reply: DeviceReply, client: PanosClient): boolean {
  if (saysUnknownCommand(reply)) return false;
  requireSuccess(reply, client.place);
  return true;
}

function atLeast(version: string | undefined, major: number, minor: number): boolean {
  const found = /^(\d+)\.(\d+)/.exec(version ?? "");
  if (found === null) return false;
  const [have, of] = [Number(found[1]), Number(found[2])];
  return have > major || (have === major && of >= minor);
}
