import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reachIn } from "../../../../src/reachability/questions/format-reach.js";
import { rulebasesOf } from "../../../../src/targets/contrail/policy/policies.js";
import { agree, policyOf } from "./agree.js";
import type { RawAddress, RawFabric, RawPorts, RawRule } from "./brute.js";
import { treeOf } from "./fabric.js";
import { fabric, packet } from "./random.js";

/** Enough to find each known misreading. The long test has more. */
const RUNS = 40;

describe("network policies", () => {
  it("allow the same as an interpreter of the controller's objects, by the same rules", () => {
    fc.assert(
      fc.property(fabric, fc.array(packet, { minLength: 12, maxLength: 12 }), (raw, packets) => {
        agree(raw, packets);
      }),
      { numRuns: RUNS, seed: 20_261_125 },
    );
  });
});

const EVERY: RawPorts = { start_port: -1, end_port: -1 };
const network = (name: string): RawAddress => ({ virtual_network: name.length === 1 ? `default-domain:demo:${name}` : name });

/** `a <> b`, any protocol and port by default. */
function rule(words: string, more: Partial<RawRule> = {}, action: "pass" | "deny" = "pass"): RawRule {
  const [from = "", direction = "", to = ""] = words.split(" ");
  return {
    direction: direction as RawRule["direction"],
    protocol: "any",
    src_addresses: [network(from)],
    src_ports: [EVERY],
    dst_addresses: [network(to)],
    dst_ports: [EVERY],
    action_list: { simple_action: action },
    ...more,
  };
}

const port = (number: number): Partial<RawRule> => ({ protocol: "tcp", dst_ports: [{ start_port: number, end_port: number }] });

/** Networks with their policies, in that order: `{ a: "p q", b: "" }`. */
function world(networks: Readonly<Record<string, string>>, policies: Readonly<Record<string, readonly RawRule[]>>): RawFabric {
  const named = (name: string) => ["default-domain", "demo", name];
  return {
    networks: Object.entries(networks).map(([name, all]) => ({
      fq_name: named(name),
      network_policy_refs: all
        .split(" ")
        .filter((each) => each !== "")
        .map((each, major) => ({ to: named(each), attr: { sequence: { major, minor: 0 } } })),
    })),
    policies: Object.entries(policies).map(([name, policy_rule]) => ({ fq_name: named(name), network_policy_entries: { policy_rule } })),
  };
}

function verdicts(raw: RawFabric, ...asked: readonly string[]): string[] {
  const [policy, rulebase] = [policyOf(raw), rulebasesOf([treeOf(raw)])[0]];
  return asked.map((words) => {
    const [from = "", , to = "", service = "tcp/80"] = words.split(" ");
    const flows = rulebase.flows(0, { from: [from], to: [to], source: [], destination: [], service: [service], application: [] });
    return reachIn(policy, flows)
      .answers.map(({ verdict, conditions: [first] }) => `${verdict}${first === undefined ? "" : ` if ${first}`}`)
      .join(", ");
  });
}

describe("a rule of a policy", () => {
  it.each<[string, RawFabric, readonly string[], readonly string[]]>([
    [
      "is its mirror, too, where it says so",
      world({ a: "p", b: "p" }, { p: [rule("a <> b", port(80)), rule("b <> a", port(443))] }),
      ["a > b", "b > a", "b > a tcp/443", "a > b tcp/22"],
      ["allow", "allow, deny", "allow, allow", "allow, deny"],
    ],
    [
      "joins nothing where one side alone names the other",
      world({ a: "p", b: "q" }, { p: [rule("a <> b")], q: [] }),
      ["a > b", "b > a"],
      ["deny", "deny"],
    ],
    [
      "of each side counts: what one of them does not let through is stopped",
      world({ a: "p", b: "q" }, { p: [rule("a <> b")], q: [rule("a <> b", port(80))] }),
      ["a > b", "a > b tcp/22"],
      ["allow", "deny"],
    ],
    [
      "of a network to itself stands above that it lets everything through",
      world({ a: "p", b: "" }, { p: [rule("local <> local", port(22), "deny")] }),
      ["a > a tcp/22", "a > a", "b > b tcp/22"],
      // Its mirror restricts the source port.
      ["deny", "deny, allow", "allow"],
    ],
    [
      "goes by the sequence of its policy",
      world({ a: "q p", b: "q p" }, { p: [rule("a <> b")], q: [rule("a <> b", port(80), "deny")] }),
      ["a > b", "a > b tcp/443"],
      ["deny", "allow"],
    ],
    [
      "that names any joins networks of the project",
      world({ a: "p", b: "p" }, { p: [rule("any <> any")] }),
      ["a > b", "b > a", "a > anywhere"],
      ["allow", "allow", "deny"],
    ],
    [
      "that leads one way is none the other way: what no rule names passes between networks that are joined",
      world({ a: "p", b: "p" }, { p: [rule("a > b", port(80))] }),
      ["a > b", "a > b tcp/22", "b > a tcp/22"],
      ["allow", "deny", "allow"],
    ],
    [
      "of a policy that was not read may do anything",
      world({ a: "gone", b: "" }, {}),
      ["a > a"],
      [
        [
          "allow if there is a rule of default-domain:demo:gone (which was not read) that lets it pass",
          "deny if there is not a rule of default-domain:demo:gone (which was not read) that lets it pass, and there is a rule of default-domain:demo:gone (which was not read) that stops it",
          "allow if there is not a rule of default-domain:demo:gone (which was not read) that lets it pass, and there is not a rule of default-domain:demo:gone (which was not read) that stops it",
        ].join(", "),
      ],
    ],
    [
      "that names a network that was not read hangs on that one's policies",
      world({ a: "p" }, { p: [rule("a <> z")] }),
      ["a > z"],
      [
        "allow if there is a rule of the policies of default-domain:demo:z (which was not read) that names default-domain:demo:a, deny if there is not a rule of the policies of default-domain:demo:z (which was not read) that names default-domain:demo:a",
      ],
    ],
  ])("%s", (_, raw, asked, answers) => {
    expect(verdicts(raw, ...asked)).toEqual(answers);
  });
});
