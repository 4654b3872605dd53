import type { Where } from "../core/errors.js";

/** What `${value:NAME}` stands for in the documents of one target. */
export interface GivenValue {
  /** One text, or those of a list; they may hold references to secrets. */
  readonly texts: readonly string[];
  readonly isList: boolean;
  readonly where: Where;
  /** Who gives it: `target zrh-1` or `group zurich`; undefined for what is so by default. */
  readonly from: string | undefined;
}

/** Which targets there are, what they are chosen by, and the values that documents of several may hold. */
export interface Fleet {
  /** By name, in the order of `plumbline.yaml`. */
  readonly targets: ReadonlyMap<string, FleetTarget>;
  /** Names of the targets of each group. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names of all that `values:` declares. */
  readonly valueNames: readonly string[];
  /** By name; what nobody gives for this target is not in it. */
  valuesOf(target: string): ReadonlyMap<string, GivenValue>;
}

export interface FleetTarget {
  readonly kind: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** Which targets a document or a group is for. What is said of `names`, `groups`, `kind` and `labels` must all hold. */
export interface TargetSelection {
  readonly names?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly kind?: string | undefined;
  /** Each label must have one of its values. */
  readonly labels?: ReadonlyMap<string, readonly string[]> | undefined;
  readonly except?: readonly string[] | undefined;
}

/** Names of the chosen targets, in the order of `plumbline.yaml`. */
export function selectTargets(selection: TargetSelection, { targets, groups }: Pick<Fleet, "targets" | "groups">): readonly string[] {
  const { kind, labels = new Map() } = selection;
  const names = selection.names && new Set(selection.names);
  const except = new Set(selection.except);
  const inGroup = selection.groups?.map((group) => groups.get(group));
  return [...targets]
    .filter(
      ([name, target]) =>
        names?.has(name) !== false &&
        inGroup?.some((group) => group?.has(name) === true) !== false &&
        (kind === undefined || target.kind === kind) &&
        [...labels].every(([label, values]) => values.includes(target.labels.get(label) ?? "")) &&
        !except.has(name),
    )
    .map(([name]) => name);
}

/** A name in `selection` that nothing bears: a misspelt one would choose nobody in silence. */
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
  for (const [label, values] of selection.labels ?? []) {
    const borne = new Set([...targets.values()].flatMap(({ labels }) => labels.get(label) ?? []));
    const known = () => (borne.size > 0 ? [...borne] : [...new Set([...targets.values()].flatMap(({ labels }) => [...labels.keys()]))]);
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
  /** What may be meant. */
  readonly known: () => readonly string[];
}
