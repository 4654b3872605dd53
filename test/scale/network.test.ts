import { afterAll, expect, it } from "vitest";
import { leaveOut } from "../left-out.js";
import { LABS, makeNamespace } from "./namespace.js";
import { ScaleWorld } from "./world.js";

const ROUNDS = process.env.PLUMBLINE_SOAK === undefined ? 2 : 20;
const namespace = makeNamespace();
if (typeof namespace === "string") leaveOut(`the cut between an agent and the database: ${namespace}`);
afterAll(async () => {
  if (typeof namespace !== "string") await namespace.remove();
});

it.skipIf(typeof namespace === "string")("an agent that is cut off from the database writes no more, and others do its work", async () => {
  if (typeof namespace === "string") return;
  const world = await ScaleWorld.start({ targets: 6, host: LABS });
  try {
    const cutOff = world.startAgent({ prefix: namespace.prefix, database: await namespace.database(world.url) });
    const other = world.startAgent();
    for (const agent of [cutOff, other]) await agent.said((line) => line.startsWith("commit"));
    await world.converged(45_000);
    for (let round = 1; round <= ROUNDS; round++) {
      namespace.cut();
      world.want({ a: `10.0.6.${round}`, [`n${round}`]: "10.1.0.1" });
      const took = await world.converged(45_000);
      console.log(`round ${round}: served by the other after ${Math.round(took)} ms`);
      const said = cutOff.lines.length;
      namespace.mend();
      await cutOff.said((line) => line.startsWith("pass") && cutOff.lines.length > said);
      await world.converged(45_000);
      world.check();
    }
    expect(other.lines.some((line) => /^pass \S+ applied/.test(line))).toBe(true);
  } finally {
    await world.close();
  }
});
