import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_LEVEL } from "../../src/reachability/flows/policy.js";
import { seedOf } from "../seed.js";
import { randomOf } from "../targets/panos/policy/random.js";
import { REAL } from "../targets/panos/policy/real.js";
import { answerReal, openRealWorld, type RealAnswer, realRequest, SORTS, withHint, wrongFlows } from "./real-requests.js";

/** A folder of more configurations. `PLUMBLINE_ACCESS_REQUESTS` sets the number of requests for each. */
const FOLDER = process.env.PLUMBLINE_ACCESS_CONFIGURATIONS;
const MORE = (FOLDER === undefined ? [] : readdirSync(FOLDER)).map((name) => ({
  name,
  xml: readFileSync(join(FOLDER ?? "", name), "utf8"),
}));
const REQUESTS = Number(process.env.PLUMBLINE_ACCESS_REQUESTS ?? 40);
const MOST_LINES = 15;

/** Result for the table of bench/RESULTS.md. */
function resultOf({ answer, designs }: RealAnswer): string {
  if (answer.state === "designed") return designs[0]?.kind === "member" ? "designed: one more member" : "designed: new rule";
  if (answer.state !== "refused") return answer.state;
  const [reason = ""] = answer.reasons;
  if (reason.includes("contradicts assertion")) return "refused: assertion";
  return reason.includes("zone") ? "refused: zone" : `refused: ${reason}`;
}

describe.each([...REAL, ...MORE])("requests for $name", ({ name, xml }) => {
  it("are answered and designed as the independent interpreter decides, with small edits", { timeout: 600_000 }, async () => {
    const random = randomOf(seedOf(46));
    const world = await openRealWorld(xml, random);
    if (world === undefined) return;
    const counts = new Map<string, number>();
    let [slowest, largest] = [0, 0];
    for (let at = 0; at < REQUESTS; at++) {
      let words = realRequest(world, SORTS[at % SORTS.length] as (typeof SORTS)[number], random);
      if (words === undefined) continue;
      let found = await answerReal(world, words);
      // A user follows the hint of a refusal: both zones may be asked for.
      for (let more = withHint(world, words, found, random); more !== undefined; more = withHint(world, words, found, random)) {
        words = more;
        found = await answerReal(world, words);
      }
      const wrong = wrongFlows(world, found, random);
      const { problem, lines = 0, seconds } = found;
      expect({ words, wrong, problem }).toEqual({ words, wrong: [], problem: undefined });
      expect({ words, lines: Math.max(lines, MOST_LINES) }).toEqual({ words, lines: MOST_LINES });
      counts.set(resultOf(found), (counts.get(resultOf(found)) ?? 0) + 1);
      [slowest, largest] = [Math.max(slowest, seconds), Math.max(largest, lines)];
    }
    world.close();
    const size = `${world.policy.rules.filter(({ key }) => key.level !== DEFAULT_LEVEL).length} enabled rules`;
    console.info(`${name}: ${size}, slowest ${slowest.toFixed(2)} s, largest edit ${largest} lines`, Object.fromEntries(counts));
    expect(counts.size).toBeGreaterThan(1);
  });
});
