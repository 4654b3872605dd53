import type { Where } from "../core/errors.js";

/** The value of `${value:NAME}` in the documents of one target. */
export interface GivenValue {
  /** One text, or several for a list. They may contain references to secrets. */
  readonly texts: readonly string[];
  readonly isList: boolean;
  readonly where: Where;
  /** Source of the value: `target zrh-1` or `group zurich`. Undefined for a default. */
  readonly from: string | undefined;
}

/** All targets, with their groups and labels, and the values for documents of several targets. */
export interface Fleet {
  /** By name, in the order of `plumbline.yaml`. */
  readonly targets: ReadonlyMap<string, FleetTarget>;
  /** Names of the targets of each group. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** All names in `values:`. */
  readonly valueNames: readonly string[];
  /** Returns the values of a target by name. Undefined values are omitted. */
  valuesOf(target: string): ReadonlyMap<string, GivenValue>;
}

export interface FleetTarget {
  readonly kind: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** Selection of targets for a document or group. A target must match `names`, `groups`, `kind` and `labels`. */
export interface TargetSelection {
  readonly names?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly kind?: string | undefined;
  /** Each label must have one of its values. */
  readonly labels?: ReadonlyMap<string, readonly string[]> | undefined;
  readonly except?: readonly string[] | undefined;
}

/** Returns the names of the selected targets, in the order of `plumbline.yaml`. */
export function selectTargets(selection: TargetSelection, fleet: Pick<Fleet, "targets" | "groups">): readonly string[] {
  const { kind, labels = new Map() } = selection;
  const { targets, groups } = fleet;
  const except = new Set(selection.except);
  const inGroup = selection.groups?.map((group) => groups.get(group));
  return candidates(selection, fleet).filter((name) => {
    const target = targets.get(name);
    return (
      target !== undefined &&
      inGroup?.some((group) => group?.has(name) === true) !== false &&
      (kind === undefined || target.kind === kind) &&
      [...labels].every(([label, values]) => values.includes(target.labels.get(label) ?? "")) &&
      !except.has(name)
    );
  });
}

/** Returns a superset of the selected targets, in the order of `plumbline.yaml`. */
function candidates(selection: TargetSelection, { targets, groups }: Pick<Fleet, "targets" | "groups">): readonly string[] {
  const { ranks, bearers } = indexOf(targets);
  const inOrder = (names: readonly string[]) => [...new Set(names)].sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  if (selection.names !== undefined) return inOrder(selection.names);
  // An empty value also matches targets without the label.
  const chosen = [...(selection.labels ?? [])].find(([, values]) => !values.includes(""));
  if (chosen !== undefined) return inOrder(chosen[1].flatMap((value) => bearers.get(chosen[0])?.get(value) ?? []));
  if (selection.groups !== undefined) return inOrder(selection.groups.flatMap((group) => [...(groups.get(group) ?? [])]));
  return [...targets.keys()];
}

/** Computed once per set of targets: hundreds of groups and documents select from thousands of targets. */
interface FleetIndex {
  /** Positions of targets in `plumbline.yaml`, from 0. */
  readonly ranks: ReadonlyMap<string, number>;
  /** Names of targets by label and value. */
  readonly bearers: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
}

const indexes = new WeakMap<Fleet["targets"], FleetIndex>();

function indexOf(targets: Fleet["targets"]): FleetIndex {
  const known = indexes.get(targets);
  if (known !== undefined) return known;
  const bearers = new Map<string, Map<string, string[]>>();
  for (const [name, { labels }] of targets)
    for (const [label, value] of labels) {
      const values = bearers.get(label) ?? new Map<string, string[]>();
      bearers.set(label, values);
      const names = values.get(value) ?? [];
      values.set(value, names);
      names.push(name);
    }
  const made = { ranks: new Map([...targets.keys()].map((name, index) => [name, index])), bearers };
  indexes.set(targets, made);
  return made;
}

/** Returns an unknown name in `selection`: a misspelt one would silently select no target. */
export function unknownIn(selection: TargetSelection, { targets, groups }: Pick<Fleet, "targets" | "groups">): Unknown | undefined {
  const noTarget = [...(selection.names ?? []), ...(selection.except ?? [])].find((name) => !targets.has(name));
  if (noTarget !== undefined)
    return {
      code: "target-unknown",
      message: `There is no target "${noTarget}" in plumbline.yaml.`,
      name: noTarget,
      known: () => [...targets.keys()],
    };
  const noGroup = selection.groups?.find((name) => !groups.has(name));
  if (noGroup !== undefined)
    return {
      code: "targets-none",
      message: `There is no group "${noGroup}" in plumbline.yaml.`,
      name: noGroup,
      known: () => [...groups.keys()],
    };
  const { bearers } = indexOf(targets);
  for (const [label, values] of selection.labels ?? []) {
    const borne = bearers.get(label) ?? new Map<string, unknown>();
    const known = () => [...(borne.size > 0 ? borne : bearers).keys()];
    if (borne.size === 0) return { code: "targets-none", message: `No target has the label "${label}".`, name: label, known };
    const value = values.find((each) => !borne.has(each));
    if (value !== undefined)
      return { code: "targets-none", message: `No target has the label "${label}" with "${value}".`, name: value, known };
  }
  return undefined;
}

interface Unknown {
  readonly code: "target-unknown" | "targets-none";
  readonly message: string;
  readonly name: string;
  /** Returns the possible names. */
  readonly known: () => readonly string[];
}
