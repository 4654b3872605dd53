// Measures the cost of computing reachability in a separate process, and how long this process is blocked with and without it.
// node bench/agent/insight-apart.mjs [rules ..., default: 1000 10000]

import { fileURLToPath } from "node:url";
import { insightInProcess } from "../../dist/agent/insight-process.js";
import { parseXml } from "../../dist/core/tree/xml/parse.js";
import { workHere } from "../../dist/reachability/changes/analysis.js";
import { rulebasesOf } from "../../dist/targets/panos/policy/policies.js";
import { generateXml } from "../generate.mjs";

const program = fileURLToPath(new URL("../../dist/cli/work-out-insight.js", import.meta.url));
const apart = insightInProcess({ program, stop: new AbortController().signal });
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1000, 10_000];

/** Measures `work`. `blocked` is the longest time during which the event loop of this process was blocked. */
async function timed(work) {
  let [last, blocked] = [performance.now(), 0];
  const turn = () => {
    blocked = Math.max(blocked, performance.now() - last);
    last = performance.now();
  };
  const ticking = setInterval(turn, 1);
  const began = performance.now();
  const result = await work();
  const took = performance.now() - began;
  await new Promise((resolve) => setTimeout(resolve, 10));
  clearInterval(ticking);
  return { result, took, blocked };
}

/** Inverts the action of every fifth rule. */
const edited = (xml) => {
  let at = 0;
  return xml.replace(/<action>(allow|deny)<\/action>/g, (all, verdict) =>
    at++ % 5 === 0 ? `<action>${verdict === "allow" ? "deny" : "allow"}</action>` : all,
  );
};

for (const rules of sizes) {
  const xml = generateXml({ rules, addresses: 2 * rules, compact: true });
  const trees = [parseXml(xml), parseXml(edited(xml))];
  const translated = await timed(async () => rulebasesOf(trees)[0].policies());
  console.log(`${rules} rules: translating both versions blocks this process for ${translated.took.toFixed(0)} ms`);
  for (const [where, work] of [
    ["same process", workHere],
    ["separate process", apart],
  ]) {
    const { result, took, blocked } = await timed(() => work.between({ versions: translated.result, stage: undefined }));
    console.log(
      `${rules} rules, ${where}: ${took.toFixed(0)} ms, this process blocked for at most ${blocked.toFixed(0)} ms; ${result.rows.length} rows`,
    );
  }
}
