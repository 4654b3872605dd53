import { applyOperation } from "../../../core/apply-operation.js";
import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, objectsAt, textAt, texts } from "../../../core/json/value.js";
import type { Operation } from "../../../core/operation.js";
import { equalNodes } from "../../../core/tree/canonical.js";
import { cloneTree, UndoLog } from "../../../core/tree/edit/edit-tree.js";
import { childByTag, childEntry } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { ContrailClient } from "../client/client.js";
import { type AnnotationUpdate, readObject, updateAnnotations, updateObject, updateReference } from "../client/objects.js";
import type { ContrailType } from "../client/types.js";
import { nameParts, objectShape, ROOT, ROOT_PATH, typeOf } from "../collections.js";
import { cidrOf } from "../json-tree/naming.js";
import { decodeObject } from "../object-tree.js";
import { KEY_KEY, OWNER_KEY } from "../owner-marks.js";
import { changedFields, fieldValue, withIds } from "./fields.js";
import { OBJECT_DEPTH } from "./object-operations.js";

/** Versions of an object for an update: `planned` as the plan read it (undefined after a write of this run), `fresh` as it is now. */
export interface ObjectState {
  readonly collection: string;
  readonly name: string;
  readonly planned: JsonObject | undefined;
  readonly fresh: JsonObject;
}

/**
 * References that a single call can add, replace or remove. References to IPAMs are excluded, because that call would give their subnets
 * new ids.
 */
const REFERRED: ReadonlyMap<string, ContrailType> = new Map([["network_policy_refs", "network-policy"]]);
const SUBNET_FIELDS: ReadonlySet<string> = new Set(["network_ipam_refs", "ipam_subnets"]);

/**
 * Applies operations to the current version of one object. The changed fields are sent in one PUT, then annotations and references to
 * policies one by one. Without a difference, no request is sent.
 */
export async function update(client: ContrailClient, live: ObjectState, operations: readonly Operation[]): Promise<void> {
  const { collection, name, fresh } = live;
  const shape = objectShape(collection);
  const type = typeOf(collection);
  const before = decodeObject(fresh, shape);
  refuseChanged(client, live, before, operations);
  const after = performed(collection, before, operations);
  const uuid = textAt(fresh, "uuid") ?? "";
  const changed = new Set(changedFields(before, after, shape));
  const fields = [...changed].filter((tag) => tag !== "owner" && tag !== "annotations" && !REFERRED.has(tag));
  // The PUT replaces complete fields and follows their read immediately: a change by another administrator in between would be lost.
  const document: JsonObject = Object.fromEntries(fields.map((tag) => [tag, fieldValue(tag, after, shape, fresh)]));
  // If only the VXLAN id is sent, the controller removes the route targets from the network inside a router.
  const { configured_route_target_list: targets } = fresh;
  if (document.vxlan_network_identifier !== undefined && targets !== undefined) document.configured_route_target_list ??= targets;
  const annotations = annotationUpdates(before, after, name);
  const asField = annotations.length > 0 && type === "logical-router";
  if (asField) document.annotations = annotated(fresh, annotations);
  if (Object.keys(document).length > 0) await updateObject(client, type, uuid, await withIds(client, type, document));
  if (fields.some((tag) => SUBNET_FIELDS.has(tag))) await verifySubnets(client, live, type, uuid);
  if (annotations.length > 0 && !asField) await updateAnnotations(client, uuid, annotations);
  for (const [field, referredType] of REFERRED) {
    if (changed.has(field)) await updateReferences(client, { type, uuid, referredType, field }, before, after, fresh, collection);
  }
}

/** Refuses to overwrite a field that changed after the plan was made (docs/contributing/architecture.md#dangers, 5). */
function refuseChanged(
  client: ContrailClient,
  { collection, name, planned }: ObjectState,
  now: TreeNode,
  operations: readonly Operation[],
): void {
  if (planned === undefined) return;
  const shape = objectShape(collection);
  const then = decodeObject(planned, shape);
  for (const tag of new Set(["owner", ...operations.flatMap(touchedFields)])) {
    const [was, is] = [childByTag(then, tag), childByTag(now, tag)];
    const isSame = was === undefined || is === undefined ? was === is : equalNodes(was, is, shape.child(tag));
    if (isSame) continue;
    throw new PlumblineError("controller-object-changed", `"${tag}" of ${name} was changed after it was read.`, {
      where: { target: client.place.target, xpath: ROOT_PATH.child(collection).entry(name).child(tag).toString() },
      next: "Run again: the new plan uses the current state.",
    });
  }
}

function touchedFields(operation: Operation): string[] {
  const field = operation.at.steps()[OBJECT_DEPTH];
  if (field !== undefined) return [field.tag];
  if (operation.action !== "set") return [];
  return operation.at.depth === OBJECT_DEPTH ? [operation.element.tag] : operation.element.children.map(({ tag }) => tag);
}

function performed(collection: string, object: TreeNode, operations: readonly Operation[]): TreeNode {
  const list = new TreeNode(collection, undefined, "", [cloneTree(object)]);
  const root = new TreeNode(ROOT, undefined, "", [list]);
  for (const operation of operations) applyOperation(root, operation, new UndoLog());
  return childEntry(list, object.name ?? "") ?? object;
}

/** Returns single updates for our mark and the declared annotations. Other annotations are not touched. */
function annotationUpdates(before: TreeNode, after: TreeNode, name: string): AnnotationUpdate[] {
  const owner = childByTag(after, "owner")?.text;
  const updates: AnnotationUpdate[] = [];
  if (owner !== undefined && childByTag(before, "owner")?.text !== owner) {
    updates.push({ operation: "set", key: OWNER_KEY, value: owner }, { operation: "set", key: KEY_KEY, value: name });
  }
  const [was, is] = [pairsOf(before), pairsOf(after)];
  for (const [key, value] of is) if (was.get(key) !== value) updates.push({ operation: "set", key, value });
  for (const key of was.keys()) if (!is.has(key)) updates.push({ operation: "delete", key });
  return updates;
}

/**
 * Returns all annotations of a router. The controller stores single annotation updates of routers, but replies with status 500
 * (docs/contributing/devices/contrail.md#updates).
 */
function annotated(fresh: JsonObject, updates: readonly AnnotationUpdate[]): JsonObject {
  const pairs = new Map(objectsAt(objectAt(fresh, "annotations") ?? {}, "key_value_pair").map((pair) => [textAt(pair, "key"), pair]));
  for (const update of updates) {
    if (update.operation === "delete") pairs.delete(update.key);
    else pairs.set(update.key, { key: update.key, value: update.value });
  }
  return { key_value_pair: [...pairs.values()] };
}

export function pairsOf(object: TreeNode): Map<string, string> {
  const annotations = childByTag(object, "annotations");
  const pairs = annotations === undefined ? undefined : childByTag(annotations, "key_value_pair");
  return new Map((pairs?.children ?? []).map((pair) => [pair.name ?? "", childByTag(pair, "value")?.text ?? ""]));
}

interface ReferenceField {
  readonly type: ContrailType;
  readonly uuid: string;
  readonly referredType: ContrailType;
  readonly field: string;
}

async function updateReferences(
  client: ContrailClient,
  { type, uuid, referredType, field }: ReferenceField,
  before: TreeNode,
  after: TreeNode,
  fresh: JsonObject,
  collection: string,
): Promise<void> {
  const shape = objectShape(collection);
  const [was, is] = [childByTag(before, field)?.children ?? [], childByTag(after, field)?.children ?? []];
  const wanted = new Map(is.map((entry) => [entry.name, entry]));
  const known = new Map(was.map((entry) => [entry.name, entry]));
  const encoded = fieldValue(field, after, shape, fresh);
  const attributes = new Map(objectsAt({ [field]: encoded }, field).map((item) => [texts(item.to)?.join(":"), item.attr ?? null]));
  const common = { type, uuid, referredType };
  for (const { name = "" } of was) {
    if (!wanted.has(name)) await updateReference(client, { ...common, referredName: nameParts(name), operation: "DELETE", attr: null });
  }
  for (const entry of is) {
    const { name = "" } = entry;
    const former = known.get(name);
    if (former !== undefined && equalNodes(former, entry, shape.child(field).child("entry"))) continue;
    await updateReference(client, { ...common, referredName: nameParts(name), operation: "ADD", attr: attributes.get(name) ?? null });
  }
}

async function verifySubnets(
  client: ContrailClient,
  { collection, name, fresh }: ObjectState,
  type: ContrailType,
  uuid: string,
): Promise<void> {
  const result = await readObject(client, type, uuid);
  const after = result.kind === "found" ? subnetIds(result.object.document) : new Map<string, string>();
  const changed = rekeyed(subnetIds(fresh), after);
  if (changed.length > 0) throw rekeyedError(client.place.target, ROOT_PATH.child(collection).entry(name).toString(), changed);
}

/** Returns `subnet_uuid` by CIDR, of a network or a flat IPAM. */
function subnetIds(document: JsonObject): Map<string, string> {
  const ofNetwork = objectsAt(document, "network_ipam_refs").flatMap((reference) =>
    objectsAt(objectAt(reference, "attr") ?? {}, "ipam_subnets"),
  );
  const ofIpam = objectsAt(objectAt(document, "ipam_subnets") ?? {}, "subnets");
  const ids = new Map<string, string>();
  for (const subnet of [...ofNetwork, ...ofIpam]) {
    const cidr = cidrOf(subnet);
    const id = textAt(subnet, "subnet_uuid");
    if (cidr !== undefined && id !== undefined) ids.set(cidr, id);
  }
  return ids;
}

/**
 * Returns the subnets whose id changed during a write. Ports and the network service's own records refer to the old id
 * (docs/contributing/devices/contrail.md#updates).
 */
function rekeyed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...before].filter(([cidr, id]) => after.has(cidr) && after.get(cidr) !== id).map(([cidr]) => cidr);
}

function rekeyedError(target: string, xpath: string, cidrs: readonly string[]): PlumblineError {
  return new PlumblineError("subnet-rekeyed", `The subnets ${cidrs.join(", ")} have another subnet_uuid than before the write.`, {
    where: { target, xpath },
    next: "Check who else writes this network. Ports of these subnets refer to the former ids until they are fixed.",
    severity: "partial",
  });
}
