import type { Draw } from "../differential/draw.js";

/** A value with several legal spellings. The spelling `undefined` omits the field. */
export class Spelled {
  constructor(readonly spellings: readonly unknown[]) {}
}

/** A list whose order has no meaning. */
export class Unordered {
  constructor(readonly items: readonly unknown[]) {}
}

/** A reference to an object by name. `gone` is the part to remove with that object: the field, the row of the list, or the object. */
export class Ref {
  constructor(
    readonly list: string,
    readonly name: string,
    readonly gone: "field" | "row" | "object",
    /** The name with `#` for the number of the object that has this reference. */
    readonly template?: string,
  ) {}
}

/** The place of an object in a series, from 1. `$count` and `$forEach` can write the objects of a series together. */
export class Member {
  constructor(
    readonly series: string,
    readonly at: number,
  ) {}
}

/** A text of an object of a series. `#` in the template is the number of the object. */
export class Numbered {
  constructor(
    readonly template: string,
    readonly at: number,
  ) {}

  get text(): string {
    return this.template.replace("#", String(this.at));
  }
}

export type Fields = Record<string, unknown>;

/** Objects of one project by list and name. Subnets have a list of their own and name their network. */
export type Project = ReadonlyMap<string, ReadonlyMap<string, Fields>>;

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
