import type { TreeNode } from "../../../core/tree/node.js";
import type { Administrator } from "../access/administrators.js";
import { dateTime } from "../clock.js";
import type { JobFault } from "../commit/commit.js";
import type { Job, JobOutcome } from "../commit/jobs.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { anotherCommit, deniedOnPassive } from "../device-messages.js";
import { enqueued, type Reply } from "../http/reply.js";
import { multiVsys } from "../ops/system.js";
import { hostname } from "../state/system-facts.js";
import { type OrderedDevice, type PushOrder, pushLimits, pushWords, readPushOrder } from "./push-order.js";
import { type Package, packageFor, receive, refusalOf } from "./receive.js";

/** State of one firewall in a push, as the manager knows it. */
export interface PushedDevice {
  readonly serial: string;
  readonly name: string;
  readonly isMulti: boolean;
  readonly vsys: readonly string[];
  /** `none` until the configuration is sent. */
  state: "none" | "config sent to device" | "not connected" | "commit succeeded" | "commit failed";
  started: number | undefined;
  finished: number | undefined;
  lines: readonly string[];
  /** The firewall's own job. */
  job: Job | undefined;
}

/** A push that was ordered, with the state of its firewalls. */
export interface Push {
  readonly order: PushOrder;
  devices: readonly PushedDevice[];
}

const SUCCEEDED = "Configuration committed successfully";

/** Handles `type=commit&action=all`: enqueues a job that ends when the configuration is sent. The firewalls commit after that. */
export function push(manager: LabDevice, admin: Administrator, command: TreeNode, fault: JobFault): Reply {
  if (manager.haState === "passive" && manager.options.behavior?.passiveRefuses !== false) throw deniedOnPassive();
  const order = readPushOrder(manager, command);
  const { firewalls, commitLock } = pushLimits(manager);
  if (order.devices.length > firewalls) throw new DeviceError("12", `commit-all: more than ${firewalls} devices`);
  const lock = manager.locks.list("commit", "all").find(({ owner }) => owner !== admin.name);
  if (commitLock === "stops" && lock !== undefined) throw new DeviceError("13", `Configuration is locked by ${lock.owner}`);
  if (manager.jobs.open().length > (manager.options.limits?.commitQueue ?? 10)) throw anotherCommit();
  const made: Push = { order, devices: [] };
  const run = (): JobOutcome => {
    if (fault.failsWith !== undefined) return { ok: false, lines: fault.failsWith };
    made.devices = deliver(manager, order);
    return { ok: true, lines: [] };
  };
  const job = manager.jobs.enqueue({
    type: order.validateOnly ? "ValidateAll" : "CommitAll",
    user: admin.name,
    description: order.description,
    duration: fault.neverEnds === true ? Number.POSITIVE_INFINITY : (manager.options.jobDuration ?? 20),
    run,
    push: made,
  });
  const { kind, validateOnly, mergesCandidate, devices, description } = order;
  manager.pushes.push({
    job: job.id,
    time: manager.now(),
    admin: admin.name,
    description,
    kind,
    validateOnly,
    mergesCandidate,
    ...(order.admins === undefined ? {} : { admins: [...order.admins] }),
    serials: devices.map(({ serial }) => serial),
    templates: devices.filter(({ stack }) => stack !== undefined).map(({ serial }) => serial),
  });
  return enqueued(pushWords(manager).enqueued.replace("{job}", String(job.id)), job.id);
}

function deliver(manager: LabDevice, order: PushOrder): PushedDevice[] {
  const at = manager.jobs.endsAt ?? manager.clock.now();
  const reached = order.devices.map((ordered) => ({ ordered, firewall: firewallOf(manager, ordered.serial) }));
  const refused = reached.find(({ ordered, firewall }) => {
    const isMulti = firewall?.attachment?.isConnected === true && multiVsys(firewall) === "on";
    return isMulti && failsOf(manager, firewall, ordered, order).length > 0;
  });
  const sharedFate = refused?.firewall === undefined ? [] : failsOf(manager, refused.firewall, refused.ordered, order);
  return reached
    .filter(({ firewall }) => firewall?.attachment?.trouble?.kind !== "left-out")
    .map(({ ordered, firewall }) => deliverOne(manager, order, ordered, firewall, { at, sharedFate }));
}

function failsOf(manager: LabDevice, firewall: LabDevice, ordered: OrderedDevice, { admins }: PushOrder): readonly string[] {
  const trouble = firewall.attachment?.trouble;
  if (trouble?.kind === "fails") return trouble.lines;
  const sent = packageOrWhy(manager, firewall, ordered, admins);
  return sent instanceof DeviceError ? sent.lines : refusalOf(firewall, sent);
}

/** Returns the package, or the error if no package can be built, for example because a selective push is not possible. */
function packageOrWhy(manager: LabDevice, firewall: LabDevice, ordered: OrderedDevice, admins: PushOrder["admins"]): Package | DeviceError {
  try {
    return packageFor(manager, firewall, ordered, admins);
  } catch (error) {
    if (error instanceof DeviceError) return error;
    throw error;
  }
}

interface Circumstances {
  readonly at: number;
  /** Reason why a firewall with several virtual systems refuses the push. All such firewalls of the push fail with the same reason. */
  readonly sharedFate: readonly string[];
}

function deliverOne(
  manager: LabDevice,
  order: PushOrder,
  ordered: OrderedDevice,
  firewall: LabDevice | undefined,
  { at, sharedFate }: Circumstances,
): PushedDevice {
  const isMulti = firewall !== undefined && multiVsys(firewall) === "on";
  const device: PushedDevice = {
    serial: ordered.serial,
    name: firewall === undefined ? "" : hostname(firewall.running),
    isMulti,
    vsys: isMulti ? ordered.policies.flatMap(({ vsys }) => vsys ?? []) : [],
    state: "config sent to device",
    started: at,
    finished: undefined,
    lines: [],
    job: undefined,
  };
  const attachment = firewall?.attachment;
  if (firewall === undefined || attachment?.isConnected !== true) return { ...device, state: "not connected", finished: at };
  const { trouble } = attachment;
  const sent = packageOrWhy(manager, firewall, ordered, order.admins);
  const why = trouble?.kind === "fails" ? trouble.lines : isMulti ? sharedFate : [];
  const outcomeOf = (refused: readonly string[]): JobOutcome => {
    if (refused.length > 0) return { ok: false, lines: refused };
    return sent instanceof DeviceError ? { ok: false, lines: sent.lines } : receive(firewall, attachment, order, sent);
  };
  const job = firewall.jobs.enqueue({
    type: order.validateOnly ? "ValidateAll" : "CommitAll",
    user: "Panorama-push",
    description: "",
    enqueued: at,
    duration: durationOf(firewall),
    run: () => {
      const outcome = outcomeOf(why);
      firewall.received.push({ time: dateTime(firewall.jobs.endsAt ?? at), version: String(manager.saved.versions.length), ...outcome });
      return outcome;
    },
  });
  return { ...device, job };
}

function durationOf(firewall: LabDevice): number {
  const trouble = firewall.attachment?.trouble;
  if (trouble?.kind === "never-answers") return Number.POSITIVE_INFINITY;
  return trouble?.kind === "slow" ? trouble.duration : (firewall.options.jobDuration ?? 20);
}

export function firewallOf(manager: LabDevice, serial: string): LabDevice | undefined {
  return manager.firewalls.find((firewall) => firewall.serial === serial);
}

/** Advances the jobs of a manager and its firewalls, then reports the firewalls' results to the manager. */
export function advanceManaged(manager: LabDevice): void {
  manager.jobs.advance();
  for (const firewall of manager.firewalls) firewall.jobs.advance();
  for (const { push } of manager.jobs.all()) for (const device of push?.devices ?? []) hear(manager, push?.order, device);
}

/** Copies the result of a firewall's job to the manager. A disconnected firewall reports no result. */
function hear(manager: LabDevice, order: PushOrder | undefined, device: PushedDevice): void {
  const { job } = device;
  if (order === undefined || device.state !== "config sent to device" || job?.finished === undefined || job.outcome === undefined) return;
  const attachment = firewallOf(manager, device.serial)?.attachment;
  if (attachment?.isConnected !== true) return;
  const { ok, lines } = job.outcome;
  device.state = ok ? "commit succeeded" : "commit failed";
  device.finished = job.finished;
  device.lines = ok ? [SUCCEEDED] : lines;
  const ordered = order.devices.find(({ serial }) => serial === device.serial);
  const what = order.validateOnly ? "validate" : "commit";
  const last = { state: device.state, at: dateTime(job.finished) };
  if ((ordered?.policies.length ?? 0) > 0) attachment.last.set(`${what}-sp`, last);
  if (ordered?.stack !== undefined) attachment.last.set(`${what}-tpl`, last);
}

/** Connects or disconnects a firewall and its managers. */
export function setConnected(firewall: LabDevice, isConnected: boolean): void {
  const { attachment } = firewall;
  if (attachment === undefined) return;
  const { manager } = attachment;
  const advance = () => {
    for (const each of [manager, manager.peer]) if (each !== undefined) advanceManaged(each);
  };
  advance();
  if (isConnected && !attachment.isConnected) attachment.connectedAt = firewall.now();
  attachment.isConnected = isConnected;
  advance();
}
