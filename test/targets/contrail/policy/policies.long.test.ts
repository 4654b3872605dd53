import fc from "fast-check";
import { expect, it } from "vitest";
import { agree } from "./agree.js";
import type { Packet, RawFabric, RawPorts, RawRule } from "./brute.js";
import { fabric, packet } from "./random.js";

const RUNS = 300;

it("random networks and policies allow the same as an interpreter of the controller's objects", () => {
  const packets = fc.array(packet, { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(fabric, packets, (raw, all) => agree(raw, all)),
    { numRuns: RUNS, seed: 7 },
  );
});

const [A, B] = ["default-domain:demo:a", "default-domain:demo:b"];
const EVERY: RawPorts = { start_port: -1, end_port: -1 };
const HTTP: RawPorts = { start_port: 80, end_port: 80 };

/** Each rule of a small world. */
function* rules(ports: readonly RawPorts[]): Generator<RawRule> {
  const networks = ["any", "local", A, B];
  for (const direction of ["<>", ">"] as const)
    for (const simple_action of ["pass", "deny"] as const)
      for (const from of networks)
        for (const to of networks)
          for (const dst of ports)
            yield {
              direction,
              protocol: "any",
              src_addresses: [{ virtual_network: from }],
              src_ports: [EVERY],
              dst_addresses: [{ virtual_network: to }],
              dst_ports: [dst],
              action_list: { simple_action },
            };
}

/** Each packet of the session. */
const PACKETS: readonly Packet[] = [A, B, "anywhere"].flatMap((from) =>
  [A, B, ...(from === "anywhere" ? [] : ["anywhere"])].flatMap((to) =>
    [80, 443].flatMap((port) =>
      [80, 443].map((sourcePort) => ({ from, to, port, sourcePort, protocol: 6, source: "10.0.0.1", destination: "10.0.0.2" })),
    ),
  ),
);

function world(policy_rule: readonly RawRule[], holders: readonly string[]): RawFabric {
  const refs = [{ to: ["default-domain", "demo", "p"], attr: { sequence: { major: 0, minor: 0 } } }];
  return {
    networks: [A, B].map((name) => ({ fq_name: name.split(":"), network_policy_refs: holders.includes(name) ? refs : [] })),
    policies: [{ fq_name: ["default-domain", "demo", "p"], network_policy_entries: { policy_rule } }],
  };
}

it("every packet of small worlds of one rule is decided equally, wherever the policy is attached", () => {
  let worlds = 0;
  for (const rule of rules([EVERY, HTTP]))
    for (const holders of [[A], [B], [A, B]]) {
      agree(world([rule], holders), PACKETS, [true]);
      worlds += 1;
    }
  expect(worlds).toBe(384);
});

it("every packet of small worlds of two rules is decided equally", () => {
  let worlds = 0;
  for (const first of rules([EVERY, HTTP]))
    for (const second of rules([EVERY])) {
      agree(world([first, second], [A, B]), PACKETS, [true]);
      worlds += 1;
    }
  expect(worlds).toBe(8192);
}, 180_000);
