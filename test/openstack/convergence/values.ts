import type { Draw } from "../differential/draw.js";

/** A value with several legal spellings. The spelling `undefined` omits the field. */
export class Spelled {
  constructor(readonly spellings: readonly unknown[]) {}
}

/** A list whose order has no meaning. */
export class Unordered {
  constructor(readonly items: readonly unknown[]) {}
}

/** Fields whose keys start with this are not part of the document. They list what an object needs. */
const NEEDS = "#";

/** A reference to an object by name. `gone` is the part to remove with that object: the field, the row of the list, or the object. */
export class Ref {
  constructor(
    readonly list: string,
    readonly name: string,
    readonly gone: "field" | "row" | "object",
  ) {}
}

export type Fields = Record<string, unknown>;

/** Objects of one project by list and name. Subnets have a list of their own and name their network. */
export type Project = ReadonlyMap<string, ReadonlyMap<string, Fields>>;

/** Returns the `config` of a document, in one of its legal spellings. */
export function spell(project: Project, draw: Draw): Fields {
  const config: Record<string, Record<string, Fields>> = {};
  for (const [list, objects] of shuffled([...project], draw)) {
    if (list === "subnets" || objects.size === 0) continue;
    config[list] = Object.fromEntries(shuffled([...objects], draw).map(([name, fields]) => [name, spellFields(fields, draw)]));
  }
  for (const [name, { network, ...fields }] of shuffled([...(project.get("subnets") ?? [])], draw)) {
    const holder = config.networks?.[(network as Ref).name];
    if (holder === undefined) throw new Error(`subnet ${name} has no network`);
    holder.subnets = { ...(holder.subnets as object), [name]: spellFields(fields, draw) };
  }
  return config;
}

function spellFields(fields: Fields, draw: Draw): Fields {
  const spelled = shuffled(Object.entries(fields), draw).map(([key, value]) => [key, spellValue(value, draw)] as const);
  return Object.fromEntries(spelled.filter(([key, value]) => value !== undefined && !key.startsWith(NEEDS)));
}

function spellValue(value: unknown, draw: Draw): unknown {
  if (value instanceof Spelled) return draw.of(value.spellings);
  if (value instanceof Ref) return value.name;
  if (value instanceof Unordered) return shuffled(value.items, draw).map((item) => spellValue(item, draw));
  if (Array.isArray(value)) return value.map((item) => spellValue(item, draw));
  return typeof value === "object" && value !== null ? spellFields(value as Fields, draw) : value;
}

export function shuffled<T>(items: readonly T[], draw: Draw): T[] {
  const left = [...items];
  const result: T[] = [];
  while (left.length > 0) result.push(...left.splice(draw.below(left.length), 1));
  return result;
}

export const flag = (value: boolean, isDefault: boolean): Spelled =>
  new Spelled([value, String(value), ...(value === isDefault ? [undefined] : [])]);

export const count = (value: number): Spelled => new Spelled([value, String(value)]);

/** Spellings of an IPv6 address or prefix. `short` is the canonical form, and has exactly one `::`. */
export function address6(short: string): Spelled {
  const [address = "", length] = short.split("/");
  const [left = "", right = ""] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const zeros = Array.from({ length: 8 - groups(left).length - groups(right).length }, () => "0");
  const full = [...groups(left), ...zeros, ...groups(right)];
  const all = [address, address.toUpperCase(), full.join(":"), full.map((group) => group.padStart(4, "0")).join(":")];
  return new Spelled(length === undefined ? all : all.map((each) => `${each}/${length}`));
}

export const mac = (canonical: string): Spelled => new Spelled([canonical, canonical.toUpperCase()]);
