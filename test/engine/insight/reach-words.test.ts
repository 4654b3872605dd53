import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { reachIn } from "../../../src/engine/insight/reach-words.js";
import { flowsOf } from "../../../src/targets/panos/policy/flows.js";
import { policiesOf } from "../../../src/targets/panos/policy/policies.js";
import { admin, find } from "../../lab/panos/support.js";
import type { Flow } from "../../targets/panos/policy/brute.js";
import { randomConfiguration, randomFacts, randomFlow, randomOf } from "../../targets/panos/policy/random.js";

const FLOWS = process.env.PLUMBLINE_SOAK === undefined ? 60 : 10_000;

const command = ({ from, to, source, destination, protocol, port, sourcePort, application }: Flow): string =>
  `<test><security-policy-match><from>${from}</from><to>${to}</to><source>${source}</source><destination>${destination}</destination>` +
  `<protocol>${protocol}</protocol><destination-port>${port}</destination-port><source-port>${sourcePort}</source-port>` +
  `<application>${application}</application></security-policy-match></test>`;

describe("what rules make of a flow", () => {
  it.each([
    [5, false],
    [30, true],
  ])("agrees with what the device answers over the wire: %i rules, wildcards in order: %s", async (rules, inOrder) => {
    const random = randomOf(rules);
    const config = randomConfiguration(random, rules, inOrder);
    const { client } = await admin({ config, checks: false, resolves: randomFacts(random).addresses });
    const tree = parseXml(config);
    const [[policy] = []] = policiesOf([tree]);
    if (policy === undefined) throw new Error("a virtual system has a policy");
    let certain = 0;
    for (let asked = 0; asked < FLOWS; asked++) {
      const flow = { ...randomFlow(random), user: "unknown" };
      const reply = await client.op(command(flow));
      const [entry] = find(reply.root, "result", "rules")?.children ?? [];
      const { from, to, source, destination, protocol, port, sourcePort, application } = flow;
      const words = {
        from: [from],
        to: [to],
        source: [source],
        destination: [destination],
        service: [`${protocol}/${port}`],
        application: [application],
      };
      const question = flowsOf(tree, "vsys1", words);
      const sourcePorts = [{ first: sourcePort, last: sourcePort }];
      const services = {
        id: "asked",
        name: "asked",
        values: [{ protocol, first: port, last: port, sourcePorts }],
        members: [],
        unknowns: [],
      };
      const traffic = question.traffic.map((each) => ({ ...each, services: { negated: false, objects: [services] } }));
      const { answers } = reachIn(policy, { ...question, traffic, users: { states: ["unknown"], unknowns: [] } });
      expect(
        answers.map(({ rule }) => rule),
        JSON.stringify(flow),
      ).toContain(entry?.name);
      const answer = answers.find(({ rule }) => rule === entry?.name);
      expect(answer?.action).toBe(entry?.children[0]?.text);
      if (answers.length === 1 && answer?.conditions.length === 0) certain++;
    }
    expect(certain).toBeGreaterThan(inOrder ? FLOWS / 10 : 0);
  });
});
