import type { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { multiVsys } from "../ops/system.js";
import { managedNames } from "../state/device-groups.js";
import { child } from "../state/system-facts.js";
import { groupMembers, stackMembers, stackTemplates } from "./memberships.js";
import { selectiveOptions } from "./selective.js";

/** One firewall of a push, with its device groups and stack. */
export interface OrderedDevice {
  readonly serial: string;
  readonly policies: readonly { readonly group: string; readonly vsys: readonly string[] | undefined }[];
  readonly stack: string | undefined;
}

export interface PushOrder {
  readonly kind: "shared-policy" | "template-stack" | "template";
  /** Name of the group, template or stack. Undefined if there are several. */
  readonly name: string | undefined;
  readonly description: string;
  readonly validateOnly: boolean;
  readonly mergesCandidate: boolean;
  /** Template values replace the firewall's local values. */
  readonly forcesTemplate: boolean;
  /** Administrators whose changes are pushed. Undefined for all administrators. */
  readonly admins: ReadonlySet<string> | undefined;
  readonly devices: readonly OrderedDevice[];
}

/** Defaults of options that a request omits. */
export interface PushDefaults {
  readonly includesTemplate: boolean;
  readonly mergesCandidate: boolean;
}

const USUAL_DEFAULTS: PushDefaults = { includesTemplate: true, mergesCandidate: true };

/** Limits of a manager that no documentation describes. */
export interface PushLimits {
  /** Maximum number of firewalls in one push. Default: unlimited. */
  readonly firewalls: number;
  /** Whether another administrator's commit lock on the manager blocks a push. Default: no. */
  readonly commitLock: "stops" | "lets";
  /** How a policy push names a firewall with several virtual systems: only by serial number, or with the selected virtual systems. */
  readonly systems: "bare" | "named";
  /**
   * Result of a job for a push that `clear job` stopped before it was sent. Default: `never`, so it cannot be stopped, as in all
   * recordings.
   */
  readonly stopped: "never" | "FAIL" | "CANC";
}

const USUAL_LIMITS: PushLimits = { firewalls: Number.POSITIVE_INFINITY, commitLock: "lets", systems: "bare", stopped: "never" };

export function pushLimits({ options }: LabDevice): PushLimits {
  return { ...USUAL_LIMITS, ...options.panorama?.pushLimits };
}

/** Texts that were never recorded from a device. */
export interface PushWords {
  /** Result of a firewall that is not connected. */
  readonly notConnected: string;
  /** Message of the reply. `{job}` is replaced by the job number. */
  readonly enqueued: string;
  /** Kind that a template push reports. With "", it reports no kind. */
  readonly templates: string;
}

export function pushWords({ options }: LabDevice): Partial<PushWords> & Omit<PushWords, "templates"> {
  return { notConnected: "FAIL", enqueued: "Push job enqueued with jobid {job}", ...options.panorama?.pushWords };
}

const OPTIONS = ["description", "include-template", "merge-with-candidate-cfg", "force-template-values", "validate-only"];
const TAKES: Readonly<Record<PushOrder["kind"], readonly string[]>> = {
  "shared-policy": ["device-group", ...OPTIONS],
  "template-stack": ["name", "device", ...OPTIONS],
  template: ["name", "device", ...OPTIONS],
};

/** Parses `<commit-all>` and resolves its names in the manager's running configuration. Throws the device's errors. */
export function readPushOrder(manager: LabDevice, command: TreeNode): PushOrder {
  const [body] = command.children;
  if (body === undefined) throw new DeviceError("17", " commit-all  is missing 'commit-all'");
  const kind = body.tag;
  if (kind !== "shared-policy" && kind !== "template-stack" && kind !== "template") throw unexpected(kind);
  const taken = takesAdmin(manager, kind) ? [...TAKES[kind], "admin"] : TAKES[kind];
  for (const { tag } of body.children) if (!taken.includes(tag)) throw unexpected(kind, tag);
  const admins = child(body, "admin")?.children.map(({ text }) => text);
  const defaults = { ...USUAL_DEFAULTS, ...manager.options.panorama?.pushDefaults };
  const isOn = (tag: string, fallback = false) => (child(body, tag)?.text ?? (fallback ? "yes" : "no")) === "yes";
  const names = kind === "shared-policy" ? entriesOf(body, "device-group") : [child(body, "name")?.text ?? ""];
  return {
    kind,
    name: names.length === 1 ? names[0] : undefined,
    description: child(body, "description")?.text ?? "",
    validateOnly: isOn("validate-only"),
    mergesCandidate: isOn("merge-with-candidate-cfg", defaults.mergesCandidate),
    forcesTemplate: isOn("force-template-values"),
    admins: admins === undefined ? undefined : new Set(admins),
    devices:
      kind === "shared-policy"
        ? devicesOfGroups(manager, body, isOn("include-template", defaults.includesTemplate))
        : devicesOfStacks(manager, body, kind, names[0] ?? ""),
  };
}

function takesAdmin(manager: LabDevice, kind: PushOrder["kind"]): boolean {
  const { takes } = selectiveOptions(manager);
  return takes === "nothing" ? false : kind === "shared-policy" || (kind === "template-stack" && takes === "policies and stacks");
}

function devicesOfGroups(manager: LabDevice, body: TreeNode, withTemplate: boolean): OrderedDevice[] {
  const { running } = manager;
  const found = new Map<string, OrderedDevice>();
  // Format of versions before 7.
  if (child(body, "device-group")?.text.trim()) throw new DeviceError("17", " commit-all -> shared-policy -> device-group is invalid");
  for (const group of entriesOf(body, "device-group")) {
    if (!managedNames(running, "device-group").includes(group)) throw notThere("shared-policy", "device-group", group);
    const members = groupMembers(running, group);
    const entry = child(body, "device-group")?.children.find(({ name }) => name === group);
    const wanted = child(entry, "devices")?.children.map(({ name }) => name ?? "");
    for (const each of child(entry, "devices")?.children ?? []) refuseSystems(manager, group, each);
    const missing = wanted?.find((serial) => !members.some((member) => member.serial === serial));
    if (missing !== undefined) throw new DeviceError("12", `Could not get vsys info for device ${missing} in dg ${group}`);
    for (const { serial, vsys } of members) {
      if (wanted !== undefined && !wanted.includes(serial)) continue;
      const stack = withTemplate ? stackOf(running, serial) : undefined;
      const policies = [...(found.get(serial)?.policies ?? []), { group, vsys }];
      found.set(serial, { serial, policies, stack });
    }
  }
  return [...found.values()];
}

function refuseSystems(manager: LabDevice, group: string, { name = "", children }: TreeNode): void {
  const { systems } = pushLimits(manager);
  const named = children.some(({ tag }) => tag === "vsys");
  if (systems === "bare" && named) throw unexpected("shared-policy", "device-group", "devices", "vsys");
  const firewall = manager.firewalls.find(({ serial }) => serial === name);
  const isMulti = firewall !== undefined && multiVsys(firewall) === "on";
  if (systems === "named" && isMulti && !named) throw new DeviceError("12", `Could not get vsys info for device ${name} in dg ${group}`);
}

function devicesOfStacks(manager: LabDevice, body: TreeNode, kind: "template-stack" | "template", name: string): OrderedDevice[] {
  const { running } = manager;
  if (!managedNames(running, kind).includes(name)) throw notThere(kind, "name", name);
  const all = managedNames(running, "template-stack");
  const stacks = kind === "template-stack" ? [name] : all.filter((stack) => stackTemplates(running, stack).includes(name));
  const wanted = child(body, "device")?.children.map(({ text }) => text);
  return stacks.flatMap((stack) =>
    stackMembers(running, stack)
      .filter((serial) => wanted === undefined || wanted.includes(serial))
      .map((serial) => ({ serial, policies: [], stack })),
  );
}

function stackOf(config: TreeNode, serial: string): string | undefined {
  return managedNames(config, "template-stack").find((stack) => stackMembers(config, stack).includes(serial));
}

function entriesOf(body: TreeNode, tag: string): readonly string[] {
  return child(body, tag)?.children.map(({ name, text }) => name ?? text) ?? [];
}

function unexpected(...tags: readonly string[]): DeviceError {
  const where = ["commit-all", ...tags];
  const above = where.slice(0, -1).map((_, at) => where.slice(0, where.length - 1 - at));
  return new DeviceError("17", [
    ` ${where.join(" -> ")} unexpected here`,
    ...above.map((words) => ` ${words.join(" -> ")}  is unexpected`),
  ]);
}

function notThere(kind: string, tag: string, name: string): DeviceError {
  return new DeviceError("17", ` commit-all -> ${kind} -> ${tag} '${name}' is not a valid reference`);
}
