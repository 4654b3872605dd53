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
  const { names, kind, labels = new Map(), except = [] } = selection;
  const inGroup = selection.groups?.map((group) => groups.get(group));
  return [...targets]
    .filter(
      ([name, target]) =>
        names?.includes(name) !== false &&
        inGroup?.some((group) => group?.has(name) === true) !== false &&
        (kind === undefined || target.kind === kind) &&
        [...labels].every(([label, values]) => values.includes(target.labels.get(label) ?? "")) &&
        !except.includes(name),
    )
    .map(([name]) => name);
}

/** A name in `selection` that nothing bears, with the names that there are: a misspelt one would choose nobody in silence. */
export function unknownIn(selection: TargetSelection, { targets, groups }: Pick<Fleet, "targets" | "groups">): Unknown | undefined {
  const targetNames = [...targets.keys()];
  for (const name of [...(selection.names ?? []), ...(selection.except ?? [])])
    if (!targets.has(name))
      return { code: "target-unknown", message: `There is no target "${name}" in plumbline.yaml.`, name, known: targetNames };
  for (const name of selection.groups ?? [])
    if (!groups.has(name))
      return { code: "targets-none", message: `There is no group "${name}" in plumbline.yaml.`, name, known: [...groups.keys()] };
  for (const [label, values] of selection.labels ?? []) {
    const borne = new Set([...targets.values()].flatMap(({ labels }) => labels.get(label) ?? []));
    if (borne.size === 0) {
      const known = [...new Set([...targets.values()].flatMap(({ labels }) => [...labels.keys()]))];
      return { code: "targets-none", message: `No target has the label "${label}".`, name: label, known };
    }
    const value = values.find((each) => !borne.has(each));
    if (value !== undefined)
      return { code: "targets-none", message: `No target has the label "${label}" with "${value}".`, name: value, known: [...borne] };
  }
  return undefined;
}

interface Unknown {
  readonly code: "target-unknown" | "targets-none";
  readonly message: string;
  readonly name: string;
  readonly known: readonly string[];
}
