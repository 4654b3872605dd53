import { groupBy } from "../../../src/core/group-by.js";
import type { Draw } from "../differential/draw.js";
import { type Fields, Member, Numbered, type Project, Ref, Spelled, shuffled, Unordered } from "./values.js";

/** Fields whose keys start with this are not part of the document. They list what an object needs. */
const NEEDS = "#";

/** Entries of a firewall's `vsys1` by list and name. */
export type Entries = Record<string, Record<string, Fields>>;

/** A project in one of its legal spellings. */
export interface Spelling {
  /** The `config` of the project's document. */
  readonly config: Fields;
  /** Entries of the target `edge` that `$forEach` selects from its documents. */
  readonly declared: Entries;
  /** Entries of the target `office` that `$forEach` selects from its live state. */
  readonly live: Entries;
}

/** Writes a project, with random spellings of values, orders, and directives for objects of a series. */
export function spell(project: Project, draw: Draw): Spelling {
  const config: Record<string, Record<string, Fields>> = {};
  const spelling: Spelling = { config, declared: {}, live: {} };
  for (const [list, objects] of shuffled([...project], draw)) {
    if (list === "subnets" || objects.size === 0) continue;
    config[list] = spellObjects(objects, spelling, draw);
  }
  const holders = groupBy(project.get("subnets") ?? [], ([, { network }]) => (network as Ref).name);
  for (const [network, subnets] of shuffled([...holders], draw)) {
    const holder = config.networks?.[network];
    if (holder === undefined) throw new Error(`a subnet has no network ${network}`);
    const fields = subnets.map(([name, { network: _holder, ...rest }]): [string, Fields] => [name, rest]);
    holder.subnets = spellObjects(new Map(fields), spelling, draw);
  }
  return spelling;
}

function spellObjects(objects: ReadonlyMap<string, Fields>, spelling: Spelling, draw: Draw): Record<string, Fields> {
  const single = new Map(objects);
  const spelled: [string, Fields][] = [];
  const members = [...objects].filter(([, fields]) => memberOf(fields) !== undefined);
  for (const [series, all] of groupBy(members, ([, fields]) => memberOf(fields)?.series ?? "")) {
    const alike = all.filter(([, fields]) => JSON.stringify(templateOf(fields)) === JSON.stringify(templateOf(all[0]?.[1] ?? {})));
    const isFirst = (index: number) => memberOf(alike[index]?.[1] ?? {})?.at === index + 1;
    const consecutive = alike.filter((_each, index) => alike.slice(0, index + 1).every((_one, at) => isFirst(at)));
    const source = SOURCES[series];
    const form = draw.of(source === undefined ? (["entries", "$count"] as const) : (["entries", "$count", "$forEach"] as const));
    const chosen = form === "$count" ? consecutive : alike;
    const [first] = chosen;
    if (form === "entries" || first === undefined) continue;
    for (const [name] of chosen) single.delete(name);
    const ats = chosen.map(([, fields]) => memberOf(fields)?.at ?? 0);
    const isCounted = form === "$count" || source === undefined;
    const loop = isCounted ? { $count: chosen.length } : forEach(series, source, ats, spelling, draw);
    const number = isCounted || (consecutive.length === chosen.length && draw.chance(50)) ? "index" : source.leaf;
    spelled.push([series, { ...loop, ...spellFields(first[1], draw, `\${${number}}`) }]);
  }
  for (const [name, fields] of single) spelled.push([name, spellFields(fields, draw)]);
  return Object.fromEntries(shuffled(spelled, draw));
}

/** The object's place in its series, if it has one. */
function memberOf(fields: Fields): Member | undefined {
  return Object.values(fields).find((value) => value instanceof Member);
}

/** Returns the fields that all objects of a series have alike. */
function templateOf(fields: Fields): unknown {
  const template = (value: unknown): unknown => {
    if (value instanceof Member) return value.series;
    if (value instanceof Numbered) return value.template;
    if (value instanceof Ref) return [value.list, value.template ?? value.name];
    if (value instanceof Unordered) return value.items.map(template);
    if (value instanceof Spelled) return value.spellings.map(template);
    if (Array.isArray(value)) return value.map(template);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, template(each)]));
  };
  return template(fields);
}

/** A list of a firewall with one entry for each object of a series, and the field of an entry that has the number. */
interface SourceList {
  readonly list: string;
  readonly leaf: string;
  entry(at: number | undefined): Fields;
}

const numbered = (leaf: string, at: number | undefined): Fields => (at === undefined ? {} : { [leaf]: String(at) });

const TAGS: SourceList = { list: "tag", leaf: "comments", entry: (at) => numbered("comments", at) };
const ADDRESSES: SourceList = {
  list: "address",
  leaf: "description",
  entry: (at) => ({ "ip-netmask": "192.0.2.7", ...numbered("description", at) }),
};
const SERVICES: SourceList = {
  list: "service",
  leaf: "description",
  entry: (at) => ({ protocol: { tcp: { port: "8080" } }, ...numbered("description", at) }),
};

/** Each series that `$forEach` can write has a list of its own. */
const SOURCES: Readonly<Record<string, SourceList>> = { guild: TAGS, member: ADDRESSES, worker: SERVICES };

/** Writes the entries that the loop selects, and sometimes one that it omits. */
function forEach(series: string, { list, leaf, entry }: SourceList, ats: readonly number[], spelling: Spelling, draw: Draw): Fields {
  const isLive = draw.chance(40);
  const isNamed = draw.chance(50);
  // A declared entry that does not exist yet would stop the target: its value may be live.
  const hasOther = isLive && draw.chance(50);
  const entries = ats.map((at): [string, Fields] => [isNamed ? `${series}-${at}` : `source-${at}`, entry(at)]);
  if (hasOther) entries.push(["without a number", entry(undefined)]);
  (isLive ? spelling.live : spelling.declared)[list] = Object.fromEntries(entries);
  return {
    $forEach: {
      in: isLive ? "office" : "edge",
      select: `devices/entry/vsys/entry[@name='vsys1']/${list}/entry`,
      ...(isNamed ? (draw.chance(50) ? { name: "${name}" } : {}) : { name: `${series}-\${${leaf}}` }),
      ...(isLive ? { from: "live" } : {}),
      ...(hasOther ? { where: leaf } : {}),
    },
  };
}

/** @param number the reference that templates have for the number, in an object that stands for a series */
function spellFields(fields: Fields, draw: Draw, number?: string): Fields {
  const spelled = shuffled(Object.entries(fields), draw).map(([key, value]) => [key, spellValue(value, draw, number)] as const);
  return Object.fromEntries(spelled.filter(([key, value]) => value !== undefined && !key.startsWith(NEEDS)));
}

function spellValue(value: unknown, draw: Draw, number: string | undefined): unknown {
  if (value instanceof Spelled) return draw.of(value.spellings);
  if (value instanceof Numbered) return number === undefined ? value.text : value.template.replace("#", number);
  if (value instanceof Ref) return number === undefined || value.template === undefined ? value.name : value.template.replace("#", number);
  if (value instanceof Unordered) return shuffled(value.items, draw).map((item) => spellValue(item, draw, number));
  if (Array.isArray(value)) return value.map((item) => spellValue(item, draw, number));
  return typeof value === "object" && value !== null ? spellFields(value as Fields, draw, number) : value;
}
