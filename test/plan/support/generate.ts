import fc from "fast-check";

/** A valid configuration of the small platform, as data. */
export interface World {
  /** Objects by name: an address of this value, or a group of these names. */
  readonly objects: ReadonlyMap<string, { readonly ip: string } | { readonly members: readonly string[] }>;
  readonly shared: ReadonlySet<string>;
  readonly rules: readonly {
    readonly name: string;
    readonly source: readonly string[];
    readonly destination: readonly string[];
    readonly log: boolean;
  }[];
  readonly tags: ReadonlyMap<string, number>;
  readonly routers: ReadonlyMap<string, string | undefined>;
}

const NAMES = ["a", "b", "c", "d", "e", 'it\'s "x" / y'];
const RULES = ["r1", "r2", "r3", "r4", "r5", "r6"];
const UNITS = ["u1", "u2", "u3", "u4"];
const ROUTERS = ["x", "y", "z"];

/** Groups hold only names that come later in a shuffled order, so that they never contain themselves. */
export const worlds: fc.Arbitrary<World> = fc
  .record({
    names: fc.shuffledSubarray(NAMES, { minLength: 1 }),
    kinds: fc.array(fc.nat(2), { minLength: 6, maxLength: 6 }),
    picks: fc.array(fc.nat(63), { minLength: 6, maxLength: 6 }),
    ips: fc.array(fc.nat(2), { minLength: 6, maxLength: 6 }),
    sharedPicks: fc.nat(63),
    rules: fc.shuffledSubarray(RULES),
    rulePicks: fc.array(fc.tuple(fc.nat(63), fc.nat(63), fc.boolean()), { minLength: 6, maxLength: 6 }),
    units: fc.shuffledSubarray(UNITS),
    tags: fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 4 }),
    routers: fc.subarray(ROUTERS),
    nexts: fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }),
  })
  .map((seed) => {
    const { names } = seed;
    const pick = (from: readonly string[], bits: number): string[] => from.filter((_, i) => (bits >> i) % 2 === 1);
    const objects = new Map<string, { ip: string } | { members: string[] }>();
    for (const [i, name] of names.entries()) {
      const members = pick(names.slice(i + 1), seed.picks[i] ?? 0);
      objects.set(name, seed.kinds[i] === 0 || members.length === 0 ? { ip: `10.0.0.${seed.ips[i]}` } : { members });
    }
    // A shared object contains only shared objects.
    const shared = new Set<string>();
    for (const name of [...names].reverse()) {
      const object = objects.get(name);
      const canShare = object !== undefined && ("ip" in object || object.members.every((member) => shared.has(member)));
      if (canShare && (seed.sharedPicks >> names.indexOf(name)) % 2 === 1) shared.add(name);
    }
    const rules = seed.rules.map((name, i) => {
      const [source = 0, destination = 0, log = false] = seed.rulePicks[i] ?? [];
      const orAny = (list: string[]): string[] => (list.length === 0 ? ["any"] : list);
      return { name, source: orAny(pick(names, source)), destination: orAny(pick(names, destination)), log };
    });
    const tags = new Map(seed.units.map((unit, i) => [unit, seed.tags[i] ?? 0]));
    const routers = new Map(seed.routers.map((router, i) => [router, seed.routers[seed.nexts[i] ?? 0]]));
    return { objects, shared, rules, tags, routers };
  });

/** The world as XML; lists named in `closed` are marked so for `desired()`. */
export function worldXml(world: World, closed: ReadonlySet<string>): string {
  const list = (tag: string, entries: readonly string[]): string =>
    `<${tag}${closed.has(tag) ? ' closed="yes"' : ""}>${entries.join("")}</${tag}>`;
  const objectsOf = (isShared: boolean): string => {
    const mine = [...world.objects].filter(([name]) => world.shared.has(name) === isShared);
    const addresses = mine.flatMap(([name, object]) => ("ip" in object ? [entry(name, `<ip>${object.ip}</ip>`)] : []));
    const groups = mine.flatMap(([name, object]) =>
      "members" in object ? [entry(name, `<static>${members(object.members)}</static>`)] : [],
    );
    return list("address", addresses) + list("group", groups);
  };
  const rules = world.rules.map(({ name, source, destination, log }) =>
    entry(name, `<source>${members(source)}</source><destination>${members(destination)}</destination>${log ? "<log>yes</log>" : ""}`),
  );
  const units = [...world.tags].map(([name, tag]) => entry(name, `<tag>${tag}</tag>`));
  const routers = [...world.routers].map(([name, next]) =>
    entry(name, next === undefined ? "<interface/>" : `<route>${entry("default", `<next>${next}</next>`)}</route>`),
  );
  const vsys = `<vsys>${entry("v1", objectsOf(false) + list("rules", rules))}</vsys>`;
  return `<config><shared>${objectsOf(true)}</shared>${vsys}${list("units", units)}${list("router", routers)}</config>`;
}

function entry(name: string, inside: string): string {
  return `<entry name="${escaped(name)}">${inside}</entry>`;
}

function members(texts: readonly string[]): string {
  return texts.map((text) => `<member>${escaped(text)}</member>`).join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
