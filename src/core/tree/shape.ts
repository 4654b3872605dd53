/**
 * What is known of a place in a target's tree. Vendor-free: diff, plan and loader read it, each target kind supplies
 * it (`targets/<kind>/shape.ts`, from a data table). Walk it beside a tree with `child(tag)`; `entry` and `member` are tags.
 */
export interface Shape {
  /** `list` holds keyed `entry` children, `members` holds `member` values, `unknown` is judged by content. */
  readonly kind: "container" | "list" | "entry" | "members" | "leaf" | "unknown";
  /** Order of entries or members has meaning. */
  readonly ordered: boolean;
  /** An empty element here equals an absent one. */
  readonly emptyIsAbsent: boolean;
  /** `container`: an empty element is a setting of its own. It stays when everything in it is deleted. */
  readonly emptyIsSetting?: boolean;
  /** `entry`: always `$partial` (devices, vsys, physical interfaces …). */
  readonly structural: boolean;
  /** `members`: a whole sequence is refused unless exclusive, because others write here too (`vsys/import`). */
  readonly sharedMembers: boolean;
  /** `members`: an empty list would mean `any`. */
  readonly matchList: boolean;
  /** `leaf`: stored encrypted or hashed by the device. */
  readonly secret: boolean;
  /** `leaf`: the value that an absent leaf has. */
  readonly default: string | undefined;
  /** How two texts of a leaf or member are compared. */
  readonly equality: "exact" | "caseless" | "cidr";
  /** Children of one parent that carry the same group name exclude each other. */
  readonly choice: string | undefined;
  /** `list`: the kind of object its entries are, as named in `references` of others. */
  readonly defines: string | undefined;
  /** `list`: lists of one scope with the same namespace cannot hold one name twice. */
  readonly namespace: string | undefined;
  /** `entry` or `container`: names defined below are seen from below only (vsys, device group, template, device). */
  readonly scope: boolean;
  /** `entry` with `scope`: its names are also seen from what stands beside it, below the same scope (a device's network sees a vsys). */
  readonly outwardScope?: boolean;
  /** `container`: a scope whose names are seen from everywhere (`/config/shared`). */
  readonly globalScope: boolean;
  /** `leaf`, `members` or `entry`: the kinds of object that its value (text, member text, entry name) may name. */
  readonly references: readonly string[];
  /** Values of a referring leaf that name nothing (`any`, `application-default` …). */
  readonly reserved: ReadonlySet<string>;
  /**
   * `leaf` or `members`: no two entries of the nearest list above may hold one value at a time (VLAN tags), and no two objects of a kind
   * one that they name (volumes of servers).
   */
  readonly unique?: boolean;
  /** `leaf`: who names an object here has it before all others that come to name it, and gives it up after those that cease to. */
  readonly leads?: boolean;
  /**
   * `leaf`: the platform derives it from this choice of the same entry. An object that it names keeps what it names itself until the
   * choice ends: a router keeps its interface while a floating IP uses it.
   */
  readonly follows?: string | undefined;
  /** `members`: the member that the platform gives a new entry whose list is not declared. */
  readonly initial?: string | undefined;
  /** `list`: its entries carry a server-made `uuid` attribute, kept by rename and carried in every edit. */
  readonly uuid: boolean;
  /** The platform fills it in where nothing is declared: an undeclared live value is nobody's business. */
  readonly computed?: boolean;
  /** Import writes it although it is computed and immutable: without it the object could not be made again. */
  readonly imported?: boolean;
  /** Import leaves it out: a state of now, which counts as wanted only where somebody says so. */
  readonly unimported?: boolean;
  /** Only the platform writes it. To be referred to, never declared, and no difference whatever it says. */
  readonly readOnly?: boolean;
  /** Said once, when the entry around it is made: another value means another object (`$replace: true`). */
  readonly immutable?: boolean;
  /** `leaf`, immutable: `$rebuild: true` has it changed in place, for which the object goes down and loses its root disk. */
  readonly rebuilt?: boolean;
  /**
   * Changed in place by what is named here (`resize`), for which the object goes down: `$down: true`, or `$replace: true` to have
   * it made again.
   */
  readonly interrupts?: string | undefined;
  /** `members`, `list` with a `key`: what goes from it goes by what is named here (`detach`), which asks for `$down: true` as `interrupts` does. */
  readonly losing?: string | undefined;
  /** `leaf`: a number that is changed in place to a larger one alone; a smaller one means another object. */
  readonly grows?: boolean;
  /** `leaf`: what a document says of it is shown nowhere, also where it stands there as plain text. */
  readonly hidden?: boolean;
  /** `list`: its entries hold what is lost with them and no document says: they are not deleted unasked. */
  readonly holdsData?: boolean;
  /** Used when the entry around it is made and never read back: not compared while nothing is live. */
  readonly createOnly?: boolean;
  /** `list`: the platform gives its objects no other names once they are made. */
  readonly fixedNames?: boolean;
  /** `list`: what names its objects keeps a copy, so that they can be deleted and made again while they are named. */
  readonly copied?: boolean;
  /** `leaf`: names the owner whose mark the entry around it carries; written by us alone, never declared (ADR 11). */
  readonly mark?: boolean;
  /** `container` or `entry`: no child is there that is not known, or (`soon`) that is what a later version will say. */
  readonly complete?: "yes" | "soon" | undefined;
  /** `list`: entries have no name; the texts of these leaves together are their key (`contentKey`). */
  readonly key?: readonly string[] | undefined;
  /** `list` with a `key`: several entries may have the same one, and are told apart by what else they say. */
  readonly several?: boolean | undefined;
  /** `leaf` or `members`: what a text must be, `list`: what the name of an entry must be, as `checkText` of `src/desired/leaf-types.ts` knows it; free text where undefined. */
  readonly type?: string | undefined;
  /** Tags known below here, in the order that a person expects to read them. */
  readonly knownTags: readonly string[];
  /** The shape of child `tag`; a shape of kind `unknown` where nothing is known. Never undefined. */
  child(tag: string): Shape;
}

/** Returns whether the shape is a rulebase: an ordered list whose rules carry a uuid. */
export function isRulebase({ kind, ordered, uuid }: Shape): boolean {
  return kind === "list" && ordered && uuid;
}
