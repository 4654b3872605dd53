import type { Shape } from "./shape.js";
import { equalityOf, type Flags, listOf, numberOf, parseFlags } from "./shape-flags.js";

/** A row: `"form flags"` or `"@type flags"`, or an object with the same text in `$` and child rows under the other keys. */
type ShapeRow = string | ShapeRows;

/** Rows by tag. `"a, b"` gives several tags one row, `*` in a tag matches any text, `$use` and `$then` include the rows of types. */
interface ShapeRows {
  readonly $?: string;
  readonly $use?: readonly string[];
  readonly $then?: readonly string[];
  readonly [tag: string]: ShapeRow | readonly string[] | undefined;
}

/**
 * Description of the tree of a platform, as data. `types` are named pieces that occur in several places (and in themselves); `anywhere`
 * lists tags that are known by name in unknown places.
 */
export interface ShapeTable {
  readonly root: ShapeRow;
  readonly types: Readonly<Record<string, ShapeRow>>;
  readonly anywhere?: ShapeRows;
  /** Kinds (`defines`) of scoped entries whose names are also visible to their siblings. */
  readonly outward?: readonly string[];
}

/** Groups of tags that exclude each other, by the tags of the path below the root element: `{ "a/entry/b": ["c, d"] }`. */
export type Alternatives = Readonly<Record<string, readonly string[]>>;

/**
 * Builds the shape of the root element. Places are resolved on first use and kept. A malformed row throws when it is resolved.
 *
 * @param alternatives Groups at places that the table does not know. Rows of the table have precedence.
 */
export function buildShape(table: ShapeTable, alternatives: Alternatives = {}): Shape {
  const library = new Library(table, alternatives);
  return new PlaceShape(library, library.resolve(table.root), { asEntry: false, isReadable: false, groups: library.groups });
}

/** Groups of alternatives at one place, and at the places below. */
class Groups {
  readonly choices = new Map<string, string>();
  /** Shapes of unknown children, which are created once. */
  readonly shapes = new Map<string, Shape>();
  readonly #below = new Map<string, Groups>();

  below(tag: string): Groups | undefined {
    return this.#below.get(tag);
  }

  at(tags: readonly string[]): Groups {
    const [tag, ...rest] = tags;
    if (tag === undefined) return this;
    const next = this.#below.get(tag) ?? new Groups();
    this.#below.set(tag, next);
    return next.at(rest);
  }

  add(rows: readonly string[]): void {
    for (const row of rows) for (const tag of row.split(", ")) this.choices.set(tag, row);
  }
}

interface Resolved {
  readonly flags: Flags;
  readonly rows: ShapeRows;
}

const NO_ROWS: ShapeRows = {};
const NOTHING: ReadonlySet<string> = new Set();

class Library {
  readonly unknown: UnknownShape;
  readonly outward: ReadonlySet<string>;
  readonly groups = new Groups();
  readonly #root: ShapeRow;
  readonly #types: ReadonlyMap<string, ShapeRow>;

  constructor(table: ShapeTable, alternatives: Alternatives) {
    for (const [path, rows] of Object.entries(alternatives)) this.groups.at(path.split("/")).add(rows);
    this.#root = table.root;
    this.#types = new Map(Object.entries(table.types));
    this.outward = new Set(table.outward);
    this.unknown = new UnknownShape(table.anywhere === undefined ? undefined : new ChildShapes(this, this.children(table.anywhere)));
  }

  /** Returns the groups below a row. A template contains the tree of the root element. */
  groupsBelow(row: ShapeRow, groups: Groups | undefined): Groups | undefined {
    const text = typeof row === "string" ? row : row.$;
    return text !== undefined && text.split(" ")[0] === this.#root ? this.groups : groups;
  }

  resolve(row: ShapeRow): Resolved {
    const text = typeof row === "string" ? row : (row.$ ?? "container");
    const rows = typeof row === "string" ? NO_ROWS : row;
    const [head = "", ...rest] = text.split(/\s+/);
    if (!head.startsWith("@")) return { flags: parseFlags(text, head, rest), rows };
    const base = this.resolve(this.#type(head.slice(1)));
    const added = parseFlags(text, base.flags.form, rest);
    const words = new Set([...base.flags.words, ...added.words]);
    const values = new Map([...base.flags.values, ...added.values]);
    return { flags: { form: base.flags.form, words, values }, rows: rows === NO_ROWS ? base.rows : { ...base.rows, ...rows } };
  }

  /** Child rows by tag in table order, and rows whose tag contains `*`. */
  children(rows: ShapeRows): Children {
    const children: Children = { exact: new Map(), patterns: [] };
    this.#collect(rows, children);
    return children;
  }

  #collect(rows: ShapeRows, into: Children): void {
    for (const [key, row] of Object.entries(rows)) {
      if (key === "$" || row === undefined) continue;
      if (key === "$use" || key === "$then") {
        for (const name of row as readonly string[]) this.#collect(this.resolve(this.#type(name)).rows, into);
        continue;
      }
      for (const tag of key.split(",").map((part) => part.trim())) {
        if (tag.includes("*")) into.patterns.push([globToRegExp(tag), row as ShapeRow]);
        else into.exact.set(tag, row as ShapeRow);
      }
    }
  }

  #type(name: string): ShapeRow {
    const row = this.#types.get(name);
    if (row === undefined) throw new Error(`shape table: no type "${name}"`);
    return row;
  }
}

interface Children {
  readonly exact: Map<string, ShapeRow>;
  readonly patterns: [RegExp, ShapeRow][];
}

/** Shapes by tag, each created once. Wildcard tags are matched in table order. */
class ChildShapes {
  readonly #library: Library;
  readonly #children: Children;
  readonly #isReadable: boolean;
  readonly #groups: Groups | undefined;
  readonly #made = new Map<string, Shape>();

  constructor(library: Library, children: Children, isReadable = false, groups?: Groups) {
    this.#library = library;
    this.#children = children;
    this.#isReadable = isReadable;
    this.#groups = groups;
  }

  get tags(): string[] {
    return [...this.#children.exact.keys()];
  }

  get(tag: string): Shape | undefined {
    const made = this.#made.get(tag);
    if (made !== undefined) return made;
    const row = this.#children.exact.get(tag) ?? this.#children.patterns.find(([pattern]) => pattern.test(tag))?.[1];
    if (row === undefined) return undefined;
    const resolved = this.#library.resolve(row);
    if (this.#isReadable) resolved.flags.words.delete("secret");
    const shape = new PlaceShape(this.#library, resolved, {
      asEntry: false,
      isReadable: this.#isReadable,
      groups: this.#library.groupsBelow(row, this.#groups?.below(tag)),
    });
    this.#made.set(tag, shape);
    return shape;
  }
}

class UnknownShape implements Shape {
  readonly kind: Shape["kind"] = "unknown";
  readonly ordered: boolean = false;
  readonly emptyIsAbsent: boolean = false;
  readonly structural: boolean = false;
  readonly sharedMembers: boolean = false;
  readonly matchList: boolean = false;
  readonly secret: boolean = false;
  readonly default: string | undefined = undefined;
  readonly equality: Shape["equality"] = "exact";
  readonly choice: string | undefined;
  readonly defines: string | undefined = undefined;
  readonly namespace: string | undefined = undefined;
  readonly scope: boolean = false;
  readonly globalScope: boolean = false;
  readonly references: readonly string[] = [];
  readonly reserved: ReadonlySet<string> = NOTHING;
  readonly uuid: boolean = false;
  readonly computed: boolean = false;
  readonly readOnly: boolean = false;
  readonly immutable: boolean = false;
  readonly createOnly: boolean = false;
  readonly fixedNames: boolean = false;
  readonly copied: boolean = false;
  readonly mark: boolean = false;
  readonly key: readonly string[] | undefined = undefined;
  readonly type: string | undefined = undefined;
  readonly #anywhere: ChildShapes | undefined;
  readonly #groups: Groups | undefined;
  readonly #plain: UnknownShape;

  /** @param plain The shape of unknown places without alternatives. Default: this one. */
  constructor(anywhere: ChildShapes | undefined, choice?: string, groups?: Groups, plain?: UnknownShape) {
    this.#anywhere = anywhere;
    this.choice = choice;
    this.#groups = groups;
    this.#plain = plain ?? this;
  }

  get knownTags(): readonly string[] {
    return [];
  }

  child(tag: string): Shape {
    return this.in(tag, this.#groups);
  }

  /** Returns the shape of an unknown child of a place with these groups. A secret stays one. */
  in(tag: string, groups: Groups | undefined): Shape {
    const known = this.#anywhere?.get(tag);
    const [choice, below] = [groups?.choices.get(tag), groups?.below(tag)];
    if (groups === undefined || (choice ?? below) === undefined || known?.secret === true) return known ?? this.#plain;
    const made = groups.shapes.get(tag) ?? new UnknownShape(this.#anywhere, choice, below, this.#plain);
    groups.shapes.set(tag, made);
    return made;
  }
}

interface Role {
  readonly asEntry: boolean;
  /** Leaves below are not secret. */
  readonly isReadable: boolean;
  readonly groups?: Groups | undefined;
}

class PlaceShape implements Shape {
  readonly kind: Shape["kind"];
  readonly ordered: boolean;
  readonly emptyIsAbsent: boolean;
  readonly emptyIsSetting: boolean;
  readonly structural: boolean;
  readonly sharedMembers: boolean;
  readonly matchList: boolean;
  readonly secret: boolean;
  readonly default: string | undefined;
  readonly equality: Shape["equality"];
  readonly choice: string | undefined;
  readonly defines: string | undefined;
  readonly namespace: string | undefined;
  readonly scope: boolean;
  readonly outwardScope: boolean;
  readonly globalScope: boolean;
  readonly references: readonly string[];
  readonly reserved: ReadonlySet<string>;
  readonly uuid: boolean;
  readonly unique: boolean;
  readonly leads: boolean;
  readonly computed: boolean;
  readonly imported: boolean;
  readonly unimported: boolean;
  readonly readOnly: boolean;
  readonly immutable: boolean;
  readonly rebuilt: boolean;
  readonly interrupts: string | undefined;
  readonly losing: string | undefined;
  readonly follows: string | undefined;
  readonly claims: readonly string[];
  readonly initial: string | undefined;
  readonly grows: boolean;
  readonly hidden: boolean;
  readonly holdsData: boolean;
  readonly createOnly: boolean;
  readonly fixedNames: boolean;
  readonly copied: boolean;
  readonly mark: boolean;
  readonly key: readonly string[] | undefined;
  readonly several: boolean;
  readonly most: number | undefined;
  readonly ruleset: boolean;
  readonly type: string | undefined;
  readonly complete: Shape["complete"];
  readonly #library: Library;
  readonly #resolved: Resolved;
  readonly #isReadable: boolean;
  readonly #groups: Groups | undefined;
  readonly #readableNames: ReadonlySet<string>;
  #children: ChildShapes | undefined;
  #item: Shape | undefined;
  #readableEntry: Shape | undefined;
  #knownTags: readonly string[] | undefined;

  constructor(library: Library, resolved: Resolved, { asEntry, isReadable, groups }: Role = { asEntry: false, isReadable: false }) {
    const { form, words, values } = resolved.flags;
    const isList = form === "list" && !asEntry;
    this.kind = asEntry ? "entry" : form;
    this.ordered = !asEntry && words.has("ordered");
    this.emptyIsAbsent = !asEntry && emptyIsAbsent(form, words, values);
    this.emptyIsSetting = values.get("empty") === "present";
    this.structural = asEntry && words.has("structural");
    this.sharedMembers = words.has("shared");
    this.matchList = words.has("match");
    this.secret = words.has("secret");
    this.default = values.get("default");
    this.equality = equalityOf(values.get("equality"));
    this.choice = asEntry ? undefined : values.get("choice");
    this.defines = isList ? values.get("defines") : undefined;
    this.namespace = isList ? values.get("namespace") : undefined;
    this.scope = words.has("scope") && !isList;
    this.outwardScope = asEntry && words.has("scope") && library.outward.has(values.get("defines") ?? "");
    this.globalScope = words.has("global");
    this.references = isList ? [] : listOf(values.get("refs"));
    this.reserved = isList ? NOTHING : new Set(listOf(values.get("reserved")));
    this.uuid = isList && words.has("uuid");
    this.unique = words.has("unique");
    this.leads = words.has("leads");
    this.readOnly = !asEntry && words.has("readonly");
    this.computed = this.readOnly || (!asEntry && words.has("computed"));
    this.imported = words.has("imported");
    this.unimported = words.has("unimported");
    this.immutable = !asEntry && words.has("immutable");
    this.rebuilt = words.has("rebuilt");
    this.interrupts = values.get("interrupts");
    this.losing = values.get("losing");
    this.follows = values.get("follows");
    this.claims = listOf(values.get("claims"));
    this.initial = values.get("initial");
    this.grows = words.has("grows");
    this.hidden = words.has("hidden");
    this.holdsData = words.has("holdsdata");
    this.createOnly = !asEntry && words.has("createonly");
    this.fixedNames = isList && words.has("fixednames");
    this.copied = isList && words.has("copied");
    this.mark = words.has("mark");
    this.key = isList && values.has("key") ? listOf(values.get("key")) : undefined;
    this.several = isList && words.has("several");
    this.most = numberOf(values.get("most"));
    this.ruleset = words.has("ruleset");
    this.type = values.get("type");
    this.complete = isList ? undefined : words.has("complete") ? "yes" : words.has("closing") ? "soon" : undefined;
    this.#library = library;
    this.#resolved = resolved;
    this.#isReadable = isReadable;
    this.#groups = groups;
    this.#readableNames = new Set(listOf(values.get("readable")));
  }

  get knownTags(): readonly string[] {
    this.#knownTags ??= this.kind === "list" ? ["entry"] : this.kind === "members" ? ["member"] : this.#below().tags;
    return this.#knownTags;
  }

  child(tag: string, name?: string): Shape {
    if (this.kind === "list") return tag === "entry" ? this.#entry(name) : this.#library.unknown;
    if (this.kind === "members") return tag === "member" ? this.#member() : this.#library.unknown;
    return this.#below().get(tag) ?? this.#library.unknown.in(tag, this.#groups);
  }

  #below(): ChildShapes {
    this.#children ??= new ChildShapes(this.#library, this.#library.children(this.#resolved.rows), this.#isReadable, this.#groups);
    return this.#children;
  }

  #entry(name: string | undefined): Shape {
    const groups = this.#groups?.below("entry");
    if (name !== undefined && this.#readableNames.has(name)) {
      this.#readableEntry ??= new PlaceShape(this.#library, this.#resolved, { asEntry: true, isReadable: true, groups });
      return this.#readableEntry;
    }
    this.#item ??= new PlaceShape(this.#library, this.#resolved, { asEntry: true, isReadable: this.#isReadable, groups });
    return this.#item;
  }

  #member(): Shape {
    const { equality, type } = this;
    this.#item ??= new PlaceShape(
      this.#library,
      this.#library.resolve(`leaf equality=${equality}${type === undefined ? "" : ` type=${type}`}`),
    );
    return this.#item;
  }
}

/** Empty lists and plain members equal absent ones. Empty containers, choices and match lists do not, unless the table overrides it. */
function emptyIsAbsent(form: Flags["form"], words: Set<string>, values: Map<string, string>): boolean {
  const emptyNodes = values.get("empty");
  if (emptyNodes !== undefined) return emptyNodes === "absent";
  if (form === "leaf" || form === "container" || values.has("choice")) return false;
  return !words.has("match");
}

function globToRegExp(glob: string): RegExp {
  const parts = glob.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
