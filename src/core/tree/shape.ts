/**
 * Description of a place in the tree of a target. Independent of the vendor: diff, plan and loader read it, and each target kind provides
 * it (`targets/<kind>/shape.ts`, from a data table). Walk it in parallel to a tree with `child(tag)`; `entry` and `member` are tags.
 */
export interface Shape {
  /** `list` has keyed `entry` children, `members` has `member` values, `unknown` is judged by content. */
  readonly kind: "container" | "list" | "entry" | "members" | "leaf" | "unknown";
  /** The order of entries or members is significant. */
  readonly ordered: boolean;
  /** An empty element equals an absent one. */
  readonly emptyIsAbsent: boolean;
  /** `container`: an empty element is a setting. It stays when all its children are deleted. */
  readonly emptyIsSetting?: boolean;
  /** `entry`: always `$partial` (devices, vsys, physical interfaces …). */
  readonly structural: boolean;
  /** `members`: a complete list is refused unless exclusive, because other owners write here too (`vsys/import`). */
  readonly sharedMembers: boolean;
  /** `members`: largest number of members. Undefined: no limit. */
  readonly most?: number | undefined;
  /** `members`: an empty list would mean `any`. */
  readonly matchList: boolean;
  /** `leaf`: stored encrypted or hashed by the device. */
  readonly secret: boolean;
  /** `leaf`: the value of an absent leaf. */
  readonly default: string | undefined;
  /** How two texts of a leaf or member are compared. */
  readonly equality: "exact" | "caseless" | "cidr";
  /** Children of one parent with the same group name exclude each other. */
  readonly choice: string | undefined;
  /** `list`: the kind of its entries, as used in `references` of other places. */
  readonly defines: string | undefined;
  /** `list`: lists of one scope with the same namespace cannot contain the same name twice. */
  readonly namespace: string | undefined;
  /** `entry` or `container`: names that are defined below are only visible below (vsys, device group, template, device). */
  readonly scope: boolean;
  /** `entry` with `scope`: its names are also visible to siblings below the same scope (the network of a device sees a vsys). */
  readonly outwardScope?: boolean;
  /** `container`: a scope whose names are visible everywhere (`/config/shared`). */
  readonly globalScope: boolean;
  /** `leaf`, `members` or `entry`: the kinds of object that its value (text, member text, entry name) may refer to. */
  readonly references: readonly string[];
  /** Values of a referring leaf that are not references (`any`, `application-default` …). */
  readonly reserved: ReadonlySet<string>;
  /**
   * `leaf` or `members`: a value can occur only once at a time among the entries of the nearest list above (VLAN tags), and an object can
   * be referred to by only one object of a kind (volumes of servers).
   */
  readonly unique?: boolean;
  /** `leaf`: this reference must be set before all new references to the same object, and removed after the old ones. */
  readonly leads?: boolean;
  /**
   * `leaf`: the platform derives it from this choice of the same entry. A referenced object keeps its own references until the choice ends:
   * a router keeps its interface while a floating IP uses it.
   */
  readonly follows?: string | undefined;
  /**
   * `leaf`: kinds of object for which the platform chooses a value by itself, perhaps this one. The value is set before such an object is
   * created without its own value.
   */
  readonly claims?: readonly string[];
  /** `members`: the member that the platform gives a new entry whose list is not declared. */
  readonly initial?: string | undefined;
  /** `list`: its entries have a `uuid` attribute from the device, which a rename keeps and every edit carries. */
  readonly uuid: boolean;
  /** The platform sets it if it is not declared. An undeclared live value is ignored. */
  readonly computed?: boolean;
  /** Import writes it although it is computed and immutable, because the object could not be recreated without it. */
  readonly imported?: boolean;
  /** Import omits it: a current state, which is only desired if a document declares it. */
  readonly unimported?: boolean;
  /** Only the platform writes it. It can be referred to, cannot be declared, and is never a difference. */
  readonly readOnly?: boolean;
  /** Set only when the entry is created. Another value needs another object (`$replace: true`). */
  readonly immutable?: boolean;
  /** `leaf`, immutable: `$rebuild: true` changes it in place. The object goes down and loses its root disk. */
  readonly rebuilt?: boolean;
  /**
   * Changed in place by this action (`resize`), during which the object goes down. Needs `$down: true`, or `$replace: true` to recreate the
   * object.
   */
  readonly interrupts?: string | undefined;
  /** `members`, `list` with a `key`: entries are removed by this action (`detach`), which needs `$down: true` like `interrupts`. */
  readonly losing?: string | undefined;
  /** `leaf`: a number that can only be increased in place. A smaller one needs another object. */
  readonly grows?: boolean;
  /** `leaf`: its declared value is never displayed, even if it is plain text. */
  readonly hidden?: boolean;
  /** `list`: deleting an entry loses data that no document contains, so entries are not deleted without confirmation. */
  readonly holdsData?: boolean;
  /** Used when the entry is created and never read back. Not compared while there is no live value. */
  readonly createOnly?: boolean;
  /** `list`: the platform cannot rename its objects. */
  readonly fixedNames?: boolean;
  /** `list`: referring objects keep a copy, so that an entry can be deleted and recreated while it is referred to. */
  readonly copied?: boolean;
  /** `leaf`: names the owner of the entry. Only written by Plumbline, never declared (ADR 7). */
  readonly mark?: boolean;
  /** `container` or `entry`: unknown children are an error, or (`soon`) become one in a later version. */
  readonly complete?: "yes" | "soon" | undefined;
  /** `list`: entries have no name. The texts of these leaves form their key (`contentKey`). */
  readonly key?: readonly string[] | undefined;
  /** `list` with a `key`: several entries may have the same key. Their other values distinguish them. */
  readonly several?: boolean | undefined;
  /** `list`: its entries decide traffic together, so undeclared entries next to declared ones are differences. */
  readonly ruleset?: boolean | undefined;
  /**
   * `leaf` or `members`: type of a text. `list`: type of the entry name. Checked by `checkText` of `src/desired/leaf-types.ts`. Undefined
   * for free text.
   */
  readonly type?: string | undefined;
  /** Known tags below, in the usual reading order. */
  readonly knownTags: readonly string[];
  /**
   * Returns the shape of child `tag`, or a shape of kind `unknown`. Never undefined. `name`: the name of an entry, because some entries of a
   * list hold a secret and others do not.
   */
  child(tag: string, name?: string): Shape;
}

/** Returns whether undeclared entries of a list change what its declared ones permit: rulebases and the rules of security groups. */
export function isPolicyList(shape: Shape): boolean {
  return (shape.kind === "list" && shape.ruleset === true) || isRulebase(shape);
}

/** Returns whether the shape is a rulebase: an ordered list whose rules carry a uuid. */
export function isRulebase({ kind, ordered, uuid }: Shape): boolean {
  return kind === "list" && ordered && uuid;
}
