import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import type { Policy } from "../../../src/reachability/flows/policy.js";
import type { LookUps } from "../../../src/reachability/policy-role.js";
import { reachIn } from "../../../src/reachability/questions/format-reach.js";
import { PanosClient } from "../../../src/targets/panos/client/client.js";
import { flowsOf } from "../../../src/targets/panos/policy/flows.js";
import { policiesOf } from "../../../src/targets/panos/policy/policies.js";
import type { ReadingOptions } from "../../../src/targets/panos/policy/reading.js";
import { readResolvedNames } from "../../../src/targets/panos/resolved-names.js";
import { admin, base, type Client, find } from "../../lab/panos/support.js";
import { seedOf, soak } from "../../seed.js";
import { configuration, dependencies } from "../../targets/panos/fixtures.js";
import type { Flow } from "../../targets/panos/policy/brute.js";
import { randomConfiguration, randomFacts, randomFlow, randomOf } from "../../targets/panos/policy/random.js";
import { REAL, Spoken } from "../../targets/panos/policy/real.js";

/** Flows to evaluate in each configuration. */
const FLOWS = soak ? 10_000 : 60;

const command = ({ from, to, source, destination, protocol, port, sourcePort, application }: Flow): string =>
  `<test><security-policy-match><from>${from}</from><to>${to}</to><source>${source}</source><destination>${destination}</destination>` +
  `<protocol>${protocol}</protocol><destination-port>${port}</destination-port><source-port>${sourcePort}</source-port>` +
  `<application>${application}</application></security-policy-match></test>`;

const generated = (rules: number, inOrder: boolean) => {
  const random = randomOf(seedOf(rules));
  const xml = randomConfiguration(random, rules, inOrder);
  return {
    name: `${rules} generated rules`,
    xml,
    facts: randomFacts(random),
    flow: () => randomFlow(random),
    certain: inOrder ? FLOWS / 50 : 0,
  };
};
// A manager answers no such question, and without zones there is no flow.
const real = REAL.filter(({ xml }) => /<zone>\s*<entry/.test(xml) && !xml.includes("<device-group>")).map(({ name, xml }) => {
  const random = randomOf(seedOf(1));
  const spoken = new Spoken(xml);
  const rules = policiesOf([parseXml(xml)])[0]?.[0]?.rules ?? [];
  const flow = () => spoken.flow(random, rules[Math.floor(random() * 1.5 * rules.length)]);
  return { name, xml, facts: spoken.facts(random), flow, certain: FLOWS / 10 };
});

/** Requests the result of one flow in the syntax of a user, with its source port. */
function answersTo(tree: TreeNode, policy: Policy, flow: Flow, options: ReadingOptions = {}) {
  const { from, to, source, destination, protocol, port, sourcePort, application } = flow;
  const words = {
    from: [from],
    to: [to],
    source: [source],
    destination: [destination],
    service: [`${protocol}/${port}`],
    application: [application],
  };
  const question = flowsOf(tree, policy.scope, words, options);
  const values = [{ protocol, first: port, last: port, sourcePorts: [{ first: sourcePort, last: sourcePort }] }];
  const services = { negated: false, objects: [{ id: "asked", name: "asked", values, members: [], unknowns: [] }] };
  const traffic = question.traffic.map((each) => ({ ...each, services }));
  return reachIn(policy, { ...question, traffic, users: { states: ["unknown"], unknowns: [] } }).answers;
}

/** Names and lists that the lab returns in addition to its configuration. */
async function lookUpsOf({ device }: Client, tree: TreeNode): Promise<LookUps> {
  const credentials = { username: "admin", password: new SecretValue("admin", "a password") };
  const client = PanosClient.at(base(device), configuration(base(device), { credentials }), dependencies(), {});
  return { asOf: "now", known: (await readResolvedNames(client, tree, "running")).known };
}

describe("reach", () => {
  it.each([generated(5, false), generated(30, true), ...real])(
    "agrees with the device's own answer: $name",
    async ({ xml, facts, flow: draw, certain, name }) => {
      const { client } = await admin({ config: xml, behavior: { checks: false }, traffic: { resolves: facts.addresses } });
      const tree = parseXml(xml);
      const lookUps = await lookUpsOf(client, tree);
      const [[policy] = []] = policiesOf([tree]);
      const [[looked] = []] = policiesOf([tree], { lookUps });
      if (policy === undefined || looked === undefined) throw new Error("a virtual system has a policy");
      // If there are many rules, the answer names one rule that is known completely.
      const hasWhole = [...lookUps.known].flatMap(([key, { isWhole }]) =>
        isWhole ? [key.startsWith("FQDN") ? "(FQDN)" : "(external list)"] : [],
      );
      expect(hasWhole.length).toBeGreaterThanOrEqual(name.startsWith("30") ? 1 : 0);
      let [known, lookedUp] = [0, 0];
      for (let asked = 0; asked < FLOWS; asked++) {
        const flow = { ...draw(), user: "unknown" };
        const zone = (name: string) => (policy.zones.includes(name) ? name : (policy.zones[0] ?? ""));
        const sent = { ...flow, from: zone(flow.from), to: zone(flow.to) };
        const reply = await client.op(command(sent));
        const [entry] = find(reply.root, "result", "rules")?.children ?? [];
        const isCertain = (answers: ReturnType<typeof answersTo>): boolean => {
          const answer = answers.find(({ rule }) => rule === entry?.name);
          expect([answer?.rule, answer?.action], JSON.stringify(sent)).toEqual([entry?.name, entry?.children[0]?.text]);
          return answers.length === 1 && answer?.conditions.length === 0;
        };
        if (isCertain(answersTo(tree, policy, sent))) known++;
        const now = answersTo(tree, looked, sent, { lookUps });
        if (isCertain(now)) lookedUp++;
        expect(now.flatMap(({ conditions }) => conditions.filter((each) => hasWhole.some((kind) => each.includes(kind))))).toEqual([]);
      }
      expect(known).toBeGreaterThanOrEqual(certain);
      expect(lookedUp).toBeGreaterThanOrEqual(known);
    },
  );
});
