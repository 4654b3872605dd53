import fc from "fast-check";
import { expect, it } from "vitest";
import { type FleetTarget, selectTargets, type TargetSelection } from "../../src/desired/fleet.js";

const name = fc.constantFrom("a", "b", "c", "d", "e", "9", "1");
const label = fc.constantFrom("site", "role");
const value = fc.constantFrom("", "zurich", "bern");
const targets = fc
  .uniqueArray(
    fc.tuple(name, fc.record({ kind: fc.constantFrom("panos", "openstack"), labels: fc.array(fc.tuple(label, value), { maxLength: 2 }) })),
    { selector: ([key]) => key },
  )
  .map((all) => new Map<string, FleetTarget>(all.map(([key, { kind, labels }]) => [key, { kind, labels: new Map(labels) }])));
const groups = fc.dictionary(fc.constantFrom("g", "h"), fc.array(name)).map((all) => new Map(Object.entries(all)));
const selection = fc.record<TargetSelection>(
  {
    names: fc.array(name),
    groups: fc.array(fc.constantFrom("g", "h", "none")),
    kind: fc.constantFrom("panos", "openstack"),
    labels: fc.array(fc.tuple(label, fc.array(value))).map((all) => new Map(all)),
    except: fc.array(name),
  },
  { requiredKeys: [] },
);

/** Each target separately, as docs/desired-state.md describes. */
function isChosen(wanted: TargetSelection, target: string, { kind, labels }: FleetTarget, members: ReadonlyMap<string, Set<string>>) {
  if (wanted.names?.includes(target) === false || wanted.except?.includes(target) === true) return false;
  if (wanted.groups?.some((group) => members.get(group)?.has(target) === true) === false) return false;
  if (wanted.kind !== undefined && wanted.kind !== kind) return false;
  return [...(wanted.labels ?? [])].every(([key, values]) => values.includes(labels.get(key) ?? ""));
}

it("selects the targets that match all conditions, in the order of plumbline.yaml", () => {
  fc.assert(
    fc.property(targets, groups, selection, (all, named, wanted) => {
      const members = new Map(
        [...named].map(([group, names]) => [group, new Set([...all.keys()].filter((each) => names.some((other) => other === each)))]),
      );
      const expected = [...all].filter(([key, target]) => isChosen(wanted, key, target, members)).map(([key]) => key);
      expect(selectTargets(wanted, { targets: all, groups: members })).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

it("reads only targets that a label, a group or a name can select", () => {
  const looked = new Set<string>();
  const all = new Map<string, FleetTarget>();
  for (let at = 0; at < 1_000; at++) {
    const target = { kind: "panos", labels: new Map([["site", `s${at % 100}`]]) };
    all.set(`fw${at}`, {
      labels: target.labels,
      get kind() {
        looked.add(`fw${at}`);
        return "panos";
      },
    });
  }
  const groups = new Map([["g", new Set(["fw3", "fw7"])]]);
  for (const wanted of [{ labels: new Map([["site", ["s5"]]]) }, { groups: ["g"] }, { names: ["fw9"] }])
    expect(selectTargets({ ...wanted, kind: "panos" }, { targets: all, groups }).length).toBeLessThan(11);
  expect(looked.size).toBe(13);
});
