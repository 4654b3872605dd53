import { parseDocument } from "yaml";

/** Entry of a target in `plumbline.yaml`, and of the target whose tokens it uses, as plain YAML values by name. */
export type TargetEntries = ReadonlyMap<string, unknown>;

/** Reads the entries from the text of `plumbline.yaml`, with unresolved references. */
export function targetEntries(source: string, name: string): TargetEntries {
  const root: unknown = parseDocument(source, { schema: "failsafe", uniqueKeys: false }).toJS();
  const targets = memberOf(root, "targets");
  const entry = memberOf(targets, name);
  const from = memberOf(memberOf(entry, "auth"), "from");
  const entries = new Map<string, unknown>();
  if (typeof from === "string") entries.set(from, memberOf(targets, from));
  return entries.set(name, entry);
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}
