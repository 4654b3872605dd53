import { CHOICES } from "./choices.js";
import { ENCRYPTED, MATCH_LISTS, RULE_LISTS, TEXTS } from "./fields.js";
import { FIELDS, LISTS, type ListFact, type ReferenceFact } from "./names.js";
import { PathRules } from "./pattern.js";

/*
 * Rules of devices about the content of a field, checked when it is written. `any` with other members is only refused at commit: no source
 * shows a refused write. Each has the reply that the lab copies.
 */

/** "At most 1 occurrence is allowed for group/member" (issue 563 of pan-os-ansible); attribute `max-count` of the device schema. */
const ONE_MEMBER = [
  "rulebase|pre-rulebase|post-rulebase/*/rules/profile-setting/group",
  "rulebase|pre-rulebase|post-rulebase/*/rules/profile-setting/profiles/*",
  "rulebase|pre-rulebase|post-rulebase/nat/rules/to",
  "profile-group/virus|spyware|vulnerability|url-filtering|file-blocking|wildfire-analysis|data-filtering",
];

/** "'application-default' should not be used with another service" on a write (measured on 11.1 by OptivEdgeIntegrations). */
const ALONE: readonly (readonly [pattern: string, words: readonly string[]])[] = [
  ["rulebase|pre-rulebase|post-rulebase/*/rules/service", ["application-default"]],
];

/** "ROUTE -> nexthop is invalid" for an empty next hop (issue 345 of ansible-pan, issue 584 of pan-os-ansible). */
const NOT_EMPTY = ["network/virtual-router/routing-table/ip|ipv6/static-route/nexthop"];

/**
 * Frame of a configuration: `root` is the root element, `template` the configuration of a template, `global` the `shared` of the root,
 * `list` a list of scopes (devices, virtual systems, device groups …), `scope` an entry of it. Everything else is inside a frame.
 */
type Frame = "root" | "template" | "global" | "part" | "list" | "scope" | "inside";

const NONE: readonly never[] = [];
const lists = new PathRules(LISTS);
const references = new PathRules(FIELDS);
const choices = new PathRules(CHOICES);
const alone = new PathRules(ALONE);
const [encrypted, ruleLists, matchLists, texts, oneMember, notEmpty] = [
  ENCRYPTED,
  RULE_LISTS,
  MATCH_LISTS,
  TEXTS,
  ONE_MEMBER,
  NOT_EMPTY,
].map((patterns) => new PathRules(patterns.map((pattern) => [pattern, true] as const))) as [
  PathRules<true>,
  PathRules<true>,
  PathRules<true>,
  PathRules<true>,
  PathRules<true>,
  PathRules<true>,
];

/** Lists in the entry of a device whose entries are scopes of names. */
const SCOPES: ReadonlySet<string> = new Set(["vsys", "device-group", "template", "template-stack"]);

/** The lab's knowledge of a place in a configuration. Nodes with the same tags above them share one spot. */
export class SchemaPlace {
  readonly tag: string;
  readonly frame: Frame;
  /** Tags below the enclosing scope, without `entry` and `member`. Empty for frames. */
  readonly path: string;
  /** Kind of the entries of a list, if other fields can name them or their names are a scope. */
  readonly list: ListFact | undefined;
  /** Objects that this field, its members, or the name of this entry refer to. */
  readonly reference: ReferenceFact | undefined;
  /** Groups of children that exclude each other. */
  readonly choices: readonly (readonly string[])[];
  /** Whether the element contains only text. */
  readonly isText: boolean;
  readonly isEncrypted: boolean;
  readonly isRuleList: boolean;
  /** Whether a rule without this list would match anything. */
  readonly isMatchList: boolean;
  readonly holdsOneMember: boolean;
  /** Members that cannot be in the list together with others. */
  readonly alone: readonly string[];
  readonly mustNotBeEmpty: boolean;
  readonly #children = new Map<string, SchemaPlace>();

  constructor(parent: SchemaPlace | undefined, tag: string) {
    this.tag = tag;
    this.frame = parent === undefined ? "root" : frameOf(parent, tag);
    this.path = this.frame === "inside" ? pathBelow(parent, tag) : "";
    const { path } = this;
    const isEntry = tag === "entry";
    this.list = this.frame === "list" && tag !== "devices" ? { kind: tag } : isEntry ? undefined : lists.first(path);
    this.reference = references.first(isEntry ? `${path}/@` : path);
    this.choices = path === "" ? NONE : choices.all(path);
    this.isText = !isEntry && texts.first(path) !== undefined;
    this.isEncrypted = !isEntry && encrypted.first(path) !== undefined;
    this.isRuleList = !isEntry && ruleLists.first(path) !== undefined;
    this.isMatchList = !isEntry && matchLists.first(path) !== undefined;
    this.holdsOneMember = oneMember.first(path) !== undefined;
    this.alone = alone.first(path) ?? NONE;
    this.mustNotBeEmpty = !isEntry && notEmpty.first(path) !== undefined;
  }

  child(tag: string): SchemaPlace {
    const known = this.#children.get(tag);
    if (known !== undefined) return known;
    const made = new SchemaPlace(this, tag);
    this.#children.set(tag, made);
    return made;
  }

  /** Whether names below this node are a scope of their own. The names of the root's `shared` are visible everywhere. */
  get isScope(): boolean {
    return this.frame === "scope" || this.frame === "global";
  }

  /** Whether the node is a frame, not a setting. */
  get isFrame(): boolean {
    return this.frame !== "inside";
  }
}

/** Spot of the root element. */
export const ROOT = new SchemaPlace(undefined, "config");

function frameOf({ frame, path }: SchemaPlace, tag: string): Frame {
  switch (frame) {
    case "root":
    case "template":
      if (tag === "shared") return frame === "root" ? "global" : "scope";
      return tag === "devices" ? "list" : tag === "panorama" ? "part" : "inside";
    case "list":
      return tag === "entry" ? "scope" : "inside";
    case "scope":
      return SCOPES.has(tag) ? "list" : tag === "config" ? "template" : "inside";
    default:
      return path === "network" && tag === "shared-gateway" ? "list" : "inside";
  }
}

function pathBelow(parent: SchemaPlace | undefined, tag: string): string {
  const above = parent?.path ?? "";
  if (tag === "entry" || tag === "member") return above;
  return above === "" ? tag : `${above}/${tag}`;
}
