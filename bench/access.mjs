/**
 * Measures access requests on generated firewalls, as seconds after the configuration was read and as ratios to parsing its XML:
 *   npm run build && node --expose-gc bench/access.mjs [rules ..., default: 60 1000 10000]
 * Uses the CPU time of one process (user and system), because the machine is shared.
 */
import { Path } from "../dist/core/tree/path.js";
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { answerRequest } from "../dist/engine/access/answer-requests.js";
import { panosDesigner } from "../dist/targets/panos/access/designer.js";
import { rulebasesOf } from "../dist/targets/panos/policy/policies.js";
import { panosPolicies } from "../dist/targets/panos/policy-role.js";
import { generateXml } from "./generate.mjs";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [60, 1000, 10_000];
const REQUESTS = Number(process.env.REQUESTS ?? 5);

/** No flow of the requests. */
const DENIED = {
  name: "no-telnet",
  description: undefined,
  verdict: "deny",
  some: false,
  flows: { from: ["trust"], to: ["untrust"], source: [], destination: [], service: ["tcp/23"], application: [] },
  except: [],
  place: Path.root.child("config"),
  strict: false,
  acceptsUnknowns: undefined,
  origin: undefined,
};

async function timed(work) {
  globalThis.gc();
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return { seconds: (user + system) / 1_000_000, result };
}

for (const rules of sizes) {
  await measure(rules, []);
  await measure(rules, [DENIED]);
}

async function measure(rules, assertions) {
  const xml = generateXml({ rules, addresses: rules * 2, groups: Math.max(2, rules / 25), compact: true });
  const parsed = await timed(() => parseXml(xml));
  const tree = parsed.result;
  const base = {
    context: {
      desired: { target: "firewall", assertions, sources: { locate: () => ({}) }, root: tree },
      configuration: { kind: "panos" },
      settings: {},
    },
    tree,
    declared: tree,
    options: { applications: ["ssl"], predefined: new Map([["ssl", { ports: [{ protocol: 6, first: 443, last: 443 }], parts: [] }]]) },
    designer: panosDesigner,
    role: panosPolicies,
    reader: { rulebases: rulebasesOf },
  };
  const [zone, other] = rulebasesOf([tree])[0].policies()[0].zones;
  for (let at = 0; at < REQUESTS; at++) {
    const words = { from: `10.250.0.${at}`, to: "10.251.0.9", service: "tcp/4711", application: "ssl", fromZone: zone, toZone: other };
    const { seconds, result } = await timed(() => answerRequest(base, words, "CHG-1"));
    const { state, designs } = result.answer;
    const ratio = (seconds / parsed.seconds).toFixed(1);
    console.log(
      `${rules} rules, ${assertions.length} assertions, request ${at + 1}: ${state}, ${designs.length} designs, ${seconds.toFixed(2)} s, ratio to parsing ${ratio}`,
    );
  }
}
