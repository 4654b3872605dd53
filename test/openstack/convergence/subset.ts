import type { Draw } from "../differential/draw.js";
import { type Fields, type Project, Ref, Unordered } from "./values.js";

/**
 * Returns the project without a random part of its objects and without references to them. A subnet is only deleted with its network: ports
 * without a declared address have one in it, and the service does not delete a subnet in use.
 */
export function removeSome(project: Project, draw: Draw, percent: number): Project {
  const rest = new Map(
    [...project].map(([list, objects]) => [list, new Map([...objects].filter(() => list === "subnets" || !draw.chance(percent)))]),
  );
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const objects of rest.values())
      for (const [name, fields] of objects) {
        const kept = withoutGone(fields, rest);
        if (kept === undefined) objects.delete(name);
        else objects.set(name, kept);
        isChanged ||= kept === undefined;
      }
  }
  return rest;
}

type Gone = "field" | "row" | "object";

function goneRef(value: unknown, rest: Project): Gone | undefined {
  return value instanceof Ref && rest.get(value.list)?.has(value.name) !== true ? value.gone : undefined;
}

/** Returns the fields of an object without references to removed objects, or undefined if the object needs one of those. */
function withoutGone(fields: Fields, rest: Project): Fields | undefined {
  const kept: Fields = {};
  for (const [key, value] of Object.entries(fields)) {
    const gone = goneRef(value, rest);
    if (gone === "object") return undefined;
    if (gone !== undefined) continue;
    const isSet = value instanceof Unordered;
    const items = isSet ? value.items : Array.isArray(value) ? value : undefined;
    if (items === undefined) {
      kept[key] = value;
      continue;
    }
    if (items.some((item) => needsGone(item, rest))) return undefined;
    const left = items.filter((item) => !losesRow(item, rest));
    // A server keeps at least one interface, because a server without `networks` would keep its present ones.
    if (left.length === 0 && items.length > 0) {
      if (key === "networks") return undefined;
      continue;
    }
    kept[key] = isSet ? new Unordered(left) : left;
  }
  // A floating IP reaches its port by the router, and has no fixed address without its port.
  if (fields.pool !== undefined && rest.get("routers")?.has("edge") !== true) delete kept.port;
  if (fields.fixed_ip_address !== undefined && kept.port === undefined) delete kept.fixed_ip_address;
  return kept;
}

const refsOf = (item: unknown): unknown[] => (item instanceof Ref ? [item] : Object.values((item ?? {}) as object));
const needsGone = (item: unknown, rest: Project) => refsOf(item).some((each) => goneRef(each, rest) === "object");
const losesRow = (item: unknown, rest: Project) => refsOf(item).some((each) => goneRef(each, rest) === "row");
