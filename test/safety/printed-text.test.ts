import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressNumber } from "../../src/core/address-range.js";
import type { ScopeInsight } from "../../src/outcome/insight.js";
import { insightBetween } from "../../src/reachability/changes/format-difference.js";
import type { AddressRange, Match, Named, Policy } from "../../src/reachability/flows/policy.js";
import { formatConditions } from "../../src/reachability/format/format-flow.js";
import { insightLines } from "../../src/report/insight.js";
import { plain } from "../../src/report/style.js";
import { rulebasesOf } from "../../src/targets/openstack/policy/policies.js";
import { decider, type Flow, truth, verdictAt } from "../reachability/flows/brute.js";
import { namesOf, type PrintedRow, printedRows } from "../reachability/flows/printed-text.js";
import { Dice, edited, everyFlow, randomPolicy, SMALL } from "../reachability/flows/worlds.js";
import { seedOf } from "../seed.js";
import { type Packet, passes } from "../targets/openstack/policy/brute.js";
import { type RawProject, treeOf } from "../targets/openstack/policy/project.js";
import { packet, project } from "../targets/openstack/policy/random.js";

/** Number of pairs of rulebases. The full count is 2,000, with 500 flows each: PLUMBLINE_PAIRS=2000. */
const PAIRS = Number(process.env.PLUMBLINE_PAIRS ?? 60);
const FLOWS = 500;
const IPV6 = 0x20010db8n << 96n;

const linesOf = (scope: ScopeInsight): string[] => insightLines({ scopes: [scope] }, "plan", plain);

const unknowns = SMALL.addresses.flatMap((object) => [object, ...object.members]).flatMap((object) => object.unknowns);
const literals = new Map(
  unknowns.flatMap((unknown) =>
    (["source", "destination"] as const).flatMap((subject) =>
      [true, false].map((holds) => {
        const test = (flow: Flow) => flow.holding.has(truth(subject, unknown)) === holds;
        return [formatConditions([{ subject, unknown, holds }]), test] as const;
      }),
    ),
  ),
);

function meets(row: PrintedRow, flow: Flow): boolean {
  if (row.conditions.length === 0) return true;
  return row.conditions.some((condition) =>
    condition.split(", and ").every((text) => {
      const literal = literals.get(text);
      if (literal === undefined) throw new Error(`No condition reads: ${text}`);
      return literal(flow);
    }),
  );
}

/** Moves the addresses of a policy. */
function moved(policy: Policy, by: bigint): Policy {
  const known = new Map<Named<AddressRange>, Named<AddressRange>>();
  const object = (each: Named<AddressRange>): Named<AddressRange> => {
    const found = known.get(each) ?? {
      ...each,
      values: each.values.map(({ first, last }) => ({ first: first + by, last: last + by })),
      members: each.members.map(object),
    };
    known.set(each, found);
    return found;
  };
  const match = (side: Match<AddressRange>): Match<AddressRange> =>
    side === "any" ? side : { ...side, objects: side.objects.map(object) };
  return { ...policy, rules: policy.rules.map((rule) => ({ ...rule, source: match(rule.source), destination: match(rule.destination) })) };
}

const changeOf = (before: string, after: string) => (before === after ? undefined : after === "allow" ? "opened" : "closed");

/** Judges the printed rows by flows. Returns the wrong ones. */
function wrongFlows(before: Policy, after: Policy, flows: readonly Flow[]): string[] {
  const scope = insightBetween(before, after);
  const lines = linesOf(scope);
  const isComplete = !lines.some((line) => line.includes(" more row"));
  const rows = printedRows(lines, namesOf([before, after]));
  const change = (flow: Flow) => {
    const [was = "", is = ""] = [before, after].map((policy) => verdictAt(policy, decider(policy, flow)));
    return changeOf(was, is);
  };
  const wrong = flows.flatMap((flow) => {
    const is = change(flow);
    const found = rows.filter((row) => row.contains(flow) && (row.hasMoreConditions || meets(row, flow)));
    const isMissing = isComplete && is !== undefined && !found.some((row) => row.change === is);
    const isClaimed = rows.some(
      (row) => row.isExact && !row.hasMoreConditions && row.contains(flow) && meets(row, flow) && row.change !== is,
    );
    return isMissing || isClaimed
      ? [JSON.stringify([isMissing, isClaimed, flow, is], (_, value) => (typeof value === "bigint" ? `${value}` : value))]
      : [];
  });
  const holdings = [...new Set(flows.map(({ holding }) => holding))];
  const examples = rows.filter((row) => {
    const [from, to] = row.example.from === "any" ? ["in", "out"] : [row.example.from, row.example.to];
    const example = { ...row.example, from, to, sourcePort: 1024, user: "unknown" as const };
    const own = holdings.map((holding) => ({ ...example, holding }));
    return (
      !row.contains(example) ||
      !(row.conditions.length === 0 ? own.every((flow) => change(flow) === row.change) : own.some((flow) => change(flow) === row.change))
    );
  });
  const text = lines.join("\n");
  return [...wrong, ...examples.map(({ example }) => `example ${Object.values(example).join(" ")}`)].map((what) => `${what}\n${text}`);
}

describe("the printed text", () => {
  it.each([
    ["IPv4", 0n],
    ["IPv6", IPV6],
  ])("contains each changed flow, claims no other one, and gives true examples: %s", { timeout: 3_600_000 }, (_, offset) => {
    const all = everyFlow(true).map((flow) => ({ ...flow, source: flow.source + offset, destination: flow.destination + offset }));
    let judged = 0;
    for (let pair = 0; pair < PAIRS / 2; pair++) {
      const dice = new Dice(seedOf(pair));
      const before = randomPolicy(SMALL, dice, 1 + dice.roll(6));
      const after = edited(SMALL, dice, before, 1 + dice.roll(3));
      const flows = Array.from({ length: FLOWS }, () => dice.one(all));
      judged += flows.length;
      expect(wrongFlows(moved(before, offset), moved(after, offset), flows).slice(0, 1)).toEqual([]);
    }
    expect(judged).toBe((PAIRS / 2) * FLOWS);
  });

  it("is true for security groups of a cloud", { timeout: 3_600_000 }, () => {
    const sent = fc.array(packet, { minLength: 40, maxLength: 40 });
    const test = fc.property(project, project, sent, (one, other, packets) => {
      const versions = [one, { ...one, groups: { ...one.groups, a: other.groups.a ?? [] } }] as const;
      expect(wrongPackets(versions, packets)).toEqual([]);
    });
    fc.assert(test, { numRuns: PAIRS, seed: seedOf(1) });
  });
});

const NUMBERS = { icmp: 1, tcp: 6, udp: 17 };

function wrongPackets(versions: readonly [RawProject, RawProject], packets: readonly Packet[]): string[] {
  const [rulebase] = rulebasesOf(versions.map(treeOf));
  const [before, after] = rulebase.policies();
  if (before === undefined || after === undefined) throw new Error("Both versions have a policy.");
  const lines = linesOf(insightBetween(before, after));
  const isComplete = !lines.some((line) => line.includes(" more row"));
  const rows = printedRows(lines, namesOf([before, after]));
  const zone = (name: string | undefined): string => {
    const question = {
      from: [name === undefined ? "anywhere" : `port ${name}`],
      to: [],
      source: [],
      destination: [],
      service: [],
      application: [],
    };
    const { from } = rulebase.flows(0, question).zones;
    if (from === "any" || from.length !== 1) throw new Error(`A port is in one zone, not in ${from}.`);
    return from[0] ?? "";
  };
  return packets.flatMap((each) => {
    const [was = "", is = ""] = versions.map((raw) => (passes(raw, each) ? "allow" : "deny"));
    const change = changeOf(was, is);
    const number = (text: string) => addressNumber(text) ?? 0n;
    const port = each.protocol === "icmp" ? 0 : each.port;
    const ends = { from: zone(each.from), to: zone(each.to), source: number(each.source), destination: number(each.destination) };
    const flow = { ...ends, application: "", protocol: NUMBERS[each.protocol], port };
    const found = rows.filter((row) => row.contains(flow));
    const isMissing = isComplete && change !== undefined && !found.some((row) => row.change === change);
    const isClaimed = found.some((row) => row.isExact && row.conditions.length === 0 && row.change !== change);
    return isMissing || isClaimed
      ? [`${JSON.stringify([isMissing, isClaimed, each, ends.from, ends.to, change])}\n${lines.join("\n")}`.replaceAll(/(\d)n/g, "$1")]
      : [];
  });
}
