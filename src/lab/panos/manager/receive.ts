import { TreeNode } from "../../../core/tree/node.js";
import type { JobOutcome } from "../commit/jobs.js";
import type { LabDevice } from "../device.js";
import { child, vsysEntries } from "../state/system-facts.js";
import type { Attachment, Delivered, PushedConfiguration } from "./attachment.js";
import { policyOf, sharedOf, sumOf, USUAL_PROJECTION } from "./policy-projection.js";
import type { OrderedDevice, PushOrder } from "./push-order.js";
import { type Source, sourceFor } from "./selective.js";
import { templateOf } from "./template-projection.js";

/** Configuration that the manager sends to one firewall, built from the manager's running configuration at that moment. */
export interface Package {
  readonly policies: ReadonlyMap<string, Delivered>;
  readonly shared: TreeNode | undefined;
  readonly template: Delivered | undefined;
}

export function packageFor(
  manager: LabDevice,
  firewall: LabDevice,
  { policies, stack }: OrderedDevice,
  admins: ReadonlySet<string> | undefined,
): Package {
  const projection = { ...USUAL_PROJECTION, ...manager.options.panorama?.projection };
  const held = firewall.attachment?.handed;
  const delivered = policies.flatMap(({ group, vsys }) =>
    (vsys ?? ["vsys1"]).map((name): [string, Delivered] => {
      const { root, version, basis } = sourceFor(manager, held?.policies.get(name), admins);
      const tree = policyOf(root, group, { serial: firewall.serial, vsys: name }, projection, held?.policies.get(name)?.tree);
      return [name, { sum: groupSum(manager, group, root), version, basis, tree }];
    }),
  );
  const first = policies.length === 0 ? undefined : sourceFor(manager, [...(held?.policies.values() ?? [])][0], admins);
  return {
    policies: new Map(delivered),
    shared: first === undefined ? undefined : sharedOf(first.root),
    template: stack === undefined ? undefined : templateDelivered(sourceFor(manager, held?.template, admins), stack, firewall.serial),
  };
}

function templateDelivered({ root, version, basis }: Source, stack: string, serial: string): Delivered {
  const tree = templateOf(root, stack, serial);
  return { sum: sumOf(tree), version, basis, tree };
}

/** Checksum that the firewalls of a group must report to be in sync. */
export function groupSum(manager: LabDevice, group: string, root = manager.running): string {
  const known = sums.get(root) ?? new Map<string, string>();
  sums.set(root, known);
  const sum = known.get(group) ?? sumOf(policyOf(root, group, undefined, { ...USUAL_PROJECTION, ...manager.options.panorama?.projection }));
  known.set(group, sum);
  return sum;
}

const sums = new WeakMap<TreeNode, Map<string, string>>();

/** Returns the error lines with which a firewall refuses a package, or an empty list if it accepts the package. */
export function refusalOf(firewall: LabDevice, { policies, template }: Package): readonly string[] {
  const [lock] = [...firewall.locks.list("config", "all"), ...firewall.locks.list("commit", "all")];
  if (lock !== undefined) return [`Configuration is locked by ${lock.owner}`, "Commit failed"];
  for (const [vsys, { tree }] of policies) {
    const local = vsysEntries(firewall.running).find(({ name }) => name === vsys);
    const sameName = collision(tree, local, child(firewall.running, "shared"));
    if (sameName !== undefined) {
      const { list, name } = sameName;
      const lines = [
        `${list} -> ${name} '${name}' is already in use`,
        `${list} is invalid`,
        vsys,
        `Error: Duplicate ${list} name '${name}'`,
      ];
      return ["Validation Error:", ...lines, "(Module: device)", "client device phase 1 failure", "Commit failed"];
    }
    const zones = unknownZones(tree, new Set([...zonesOf(firewall.running, vsys), ...zonesOf(template?.tree ?? handedTo(firewall), vsys)]));
    if (zones.length > 0) return [...zones.map((words) => `In VSYS ${vsys} ${words}`), "Commit failed"];
  }
  return [];
}

/** Commits a received package on the firewall. */
export function receive(firewall: LabDevice, attachment: Attachment, order: PushOrder, sent: Package): JobOutcome {
  const refused = refusalOf(firewall, sent);
  if (refused.length > 0) return { ok: false, lines: refused };
  const { trouble } = attachment;
  if (!order.validateOnly) {
    const before = attachment.handed;
    const handed = trouble?.kind === "loses" ? losing(added(before, sent), trouble.name) : added(before, sent);
    // Sessions before this commit were decided by the former rules.
    firewall.traffic.advance();
    attachment.handed = trouble?.kind === "reverts" ? before : handed;
    for (const [vsys, { tree }] of attachment.handed.policies) firewall.traffic.hits.receives(vsys, tree, firewall.clock.now());
    if (order.forcesTemplate && sent.template !== undefined) forceTemplate(firewall, sent.template.tree);
    if (order.mergesCandidate && firewall.candidate.pending.length > 0) commitCandidate(firewall);
  }
  if (!order.validateOnly && trouble?.kind === "reverts" && trouble.says !== undefined) return { ok: false, lines: trouble.says };
  return { ok: true, lines: [order.validateOnly ? "Configuration is valid" : "Configuration committed successfully"] };
}

function added(before: PushedConfiguration, { policies, shared, template }: Package): PushedConfiguration {
  return {
    policies: new Map([...before.policies, ...policies]),
    shared: shared ?? before.shared,
    template: template ?? before.template,
  };
}

/** Removes the lost objects but keeps the checksums, so the manager sees no difference. */
function losing({ policies, shared, template }: PushedConfiguration, name: string | undefined): PushedConfiguration {
  const of = (delivered: Delivered) => ({ ...delivered, tree: without(delivered.tree, name) });
  return {
    policies: new Map([...policies].map(([vsys, delivered]) => [vsys, of(delivered)])),
    shared: shared === undefined ? undefined : without(shared, name),
    template: template === undefined ? undefined : of(template),
  };
}

function without(node: TreeNode, name: string | undefined): TreeNode {
  const kept = name === undefined ? [] : node.children.filter((each) => each.name !== name).map((each) => without(each, name));
  return new TreeNode(node.tag, node.name, node.text, kept, node.attributes);
}

/** `merge-with-candidate-cfg`: also commits all pending edits on the firewall. */
function commitCandidate(firewall: LabDevice): void {
  const { pending } = firewall.candidate;
  firewall.running = firewall.candidate.tree.freeze();
  firewall.candidate.settle(new Set(pending));
  firewall.saved.addVersion({ time: firewall.now(), admin: "Panorama-push", description: "", root: firewall.running });
}

/** `force-template-values`: removes the firewall's local values for which the template has a value, in the candidate and in running. */
function forceTemplate(firewall: LabDevice, template: TreeNode): void {
  const { candidate, running } = firewall;
  const forced = withoutOwn(running, template);
  candidate.reset(withoutOwn(candidate.tree.root, template), candidate.pending);
  if (forced === running) return;
  firewall.running = forced;
  firewall.saved.addVersion({ time: firewall.now(), admin: "Panorama-push", description: "", root: forced });
}

/**
 * Removes the parts of `own` that `handed` also defines. A named entry is removed completely, except the entries of `HOLDERS`, which
 * contain the configuration of a device. Returns the same node if it does not change.
 */
function withoutOwn(own: TreeNode, handed: TreeNode): TreeNode {
  const children = own.children.flatMap((node) => {
    const other = handed.children.find(({ tag, name }) => tag === node.tag && name === node.name);
    if (other === undefined) return [node];
    const isComplete = node.children.length === 0 || node.children[0]?.tag === "member" || (node.tag === "entry" && !HOLDERS.has(own.tag));
    if (isComplete) return [];
    const left = withoutOwn(node, other);
    return left.children.length === 0 && node.tag !== "entry" ? [] : [left];
  });
  const isSame = children.length === own.children.length && children.every((node, at) => node === own.children[at]);
  return isSame ? own : new TreeNode(own.tag, own.name, own.text, children, own.attributes);
}

const HOLDERS: ReadonlySet<string> = new Set(["devices", "vsys"]);

/**
 * Finds a pushed object whose name a local object already uses. A group's object is compared with the objects of the virtual system; an
 * object from the manager's `shared` is compared with the firewall's `shared`.
 */
function collision(
  policy: TreeNode,
  local: TreeNode | undefined,
  shared: TreeNode | undefined,
): { readonly list: string; readonly name: string } | undefined {
  for (const { tag, children } of policy.children) {
    const namesIn = (place: TreeNode | undefined) =>
      new Set(children[0]?.tag === "entry" ? child(place, tag)?.children.map(({ name }) => name) : []);
    const [own, ofAll] = [namesIn(local), namesIn(shared)];
    const sameName = children.find(({ name, attributes }) => (attributes?.get("loc") === "shared" ? ofAll : own).has(name));
    if (sameName?.name !== undefined) return { list: tag, name: sameName.name };
  }
  return undefined;
}

function unknownZones(policy: TreeNode, known: ReadonlySet<string>): readonly string[] {
  const rules = ["pre-rulebase", "post-rulebase"].flatMap((tag) => child(child(child(policy, tag), "security"), "rules")?.children ?? []);
  const kindOf = (zone: string | undefined) => (zone === undefined || zone === "any" || known.has(zone) ? "known" : "unknown");
  return rules.flatMap((rule) => {
    const [from, to] = ["from", "to"].map((tag) => child(rule, tag)?.children.map(({ text }) => text) ?? []);
    const missing = [...(from ?? []), ...(to ?? [])].some((zone) => kindOf(zone) === "unknown");
    if (!missing) return [];
    const typed = (zone = "any") => `zone ${zone} of type ${kindOf(zone) === "unknown" ? "unknown" : "layer3"}`;
    return [`from ${typed(from?.[0])} and to ${typed(to?.[0])} are incompatible in security rule ${rule.name}`];
  });
}

function zonesOf(config: TreeNode | undefined, vsys: string): readonly string[] {
  const entry = config === undefined ? undefined : vsysEntries(config).find(({ name }) => name === vsys);
  return child(entry, "zone")?.children.flatMap(({ name }) => name ?? []) ?? [];
}

function handedTo(firewall: LabDevice): TreeNode | undefined {
  return firewall.attachment?.handed.template?.tree;
}
