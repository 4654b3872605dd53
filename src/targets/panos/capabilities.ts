import type { Capabilities, PendingChange } from "../../plan/platform.js";
import type { PanosClient } from "./client/client.js";
import { checkPendingChanges, getConfiguration, showChanges, showLocks } from "./client/commands.js";
import type { PanosRequest } from "./client/request.js";
import { pendingIn } from "./pending-reply.js";
import { deviceEntry } from "./scope.js";
import type { PanosTargetConfiguration } from "./settings.js";
import type { SystemInfo } from "./system-info.js";

/** The capabilities of every target, and those that only this kind of target needs. */
export interface PanosCapabilities extends Capabilities {
  readonly pendingCheck: boolean;
  /** The action `show` can read the running configuration. */
  readonly show: boolean;
  /** The device supports at least one command beyond the specification. */
  readonly beyondSpecification: boolean;
}

/** Largest request that devices accept, in bytes as sent (docs/contributing/devices/panos.md#transport). */
const MAX_REQUEST_BYTES = 5_000_000;

/** Limit for requests that may only use GET, in bytes. Most servers limit a URL to 8 KB, and the key takes a part of it. */
const MAX_GET_BYTES = 7_000;

/** Maximum number of operations in one batch (docs/contributing/devices/panos.md#batches). */
const MAX_BATCH_OPERATIONS = 10_000;

/** Read commands that one version of a device supports. An unknown command means that the device lacks the capability. */
export interface Answers {
  readonly changeList: boolean;
  readonly locks: boolean;
  /** Whether the device reports if there are uncommitted changes. A device that lists them supports this too. */
  readonly pendingCheck: boolean;
  readonly show: boolean;
}

/** Supported commands of a device, and its uncommitted changes at the time of the request. */
export interface Trials {
  readonly answers: Answers;
  /** Undefined if the device does not list uncommitted changes. */
  readonly pending: readonly PendingChange[] | undefined;
}

/**
 * Requests the answers that are not in `known`, and the uncommitted changes. An unknown command is an answer; every other failure is an
 * error.
 */
export async function readDeviceAnswers(client: PanosClient, known?: Answers): Promise<Trials> {
  if (known?.changeList === false) return { answers: known, pending: undefined };
  const supports = async (command: PanosRequest): Promise<boolean> => (await client.runIfSupported(command)) !== undefined;
  const [changes, locks, show] = await Promise.all([
    client.runIfSupported(showChanges),
    known?.locks ?? supports(showLocks("config")),
    known?.show ?? offersShow(client),
  ]);
  const changeList = changes !== undefined;
  const pendingCheck = changeList || (await supports(checkPendingChanges));
  return { answers: { changeList, locks, pendingCheck, show }, pending: changes && pendingIn(changes) };
}

/**
 * Moves, renames, batches and partial commits cannot be probed without writing. They are assumed if the device supports any command beyond
 * the specification, and batches only from version 10.1 (docs/contributing/devices/panos.md#batches).
 */
export function capabilitiesOf(answers: Answers, info: SystemInfo, configuration: PanosTargetConfiguration): PanosCapabilities {
  const { changeList, locks, pendingCheck, show } = answers;
  const beyondSpecification = changeList || locks || pendingCheck;
  return {
    candidate: true,
    version: info.get("sw-version"),
    atomicBatch: beyondSpecification && atLeast(info.get("sw-version"), 10, 1),
    move: beyondSpecification,
    rename: beyondSpecification,
    locks,
    changeList,
    partialCommit: changeList,
    partialRevert: changeList,
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

/** The specification only has `get`. A reply that the node is absent also proves that the device knows `show`. */
async function offersShow(client: PanosClient): Promise<boolean> {
  const hostname = deviceEntry.child("deviceconfig").child("system").child("hostname").toString();
  const reply = await client.attempt(getConfiguration("running", hostname));
  if (reply.outcome === "refused") throw client.refusal(reply, hostname);
  return reply.outcome !== "unsupported";
}

/** Returns whether a version such as `10.1.6-h3` is at least `major.minor`. False for an unknown version. */
export function atLeast(version: string | undefined, major: number, minor: number): boolean {
  const found = /^(\d+)\.(\d+)/.exec(version ?? "");
  if (found === null) return false;
  const [have, of] = [Number(found[1]), Number(found[2])];
  return have > major || (have === major && of >= minor);
}
