import { describe, expect, it } from "vitest";
import { unshared } from "../../../../src/engine/apply/fences.js";
import { result } from "../fixtures.js";
import { writer } from "../open-writer.js";
import type { Table } from "../table-device.js";

const MINUTE = 60_000;
const SHOW = "<show><jobs><id>5</id></jobs></show>";
const GONE = '<response status="error"><msg><line>job 5 not found</line></msg></response>';
const row = (serial: string, word: string) => `<entry><serial-no>${serial}</serial-no><status>x</status><result>${word}</result></entry>`;
const sent = (...rows: readonly string[]) =>
  result(`<job><id>5</id><type>CommitAll</type><status>FIN</status><result>OK</result><devices>${rows.join("")}</devices></job>`);

/** The result of watching job 5 for two firewalls, and its duration in minutes. */
async function watched(table: Table) {
  const { target, injected } = await writer(table, {
    push: {
      validate: true,
      arrival: "firewall",
      others: "refuse",
      systems: "bare",
      perJob: Number.POSITIVE_INFINITY,
      timeout: 1800,
      rollout: { canary: [], batch: undefined, apart: [] },
    },
  });
  const { pushes } = target.writer.behind(unshared);
  if (pushes === undefined) throw new Error("no pushes");
  const results = await pushes.watch("5", ["1", "2"], () => undefined);
  return { words: results.map((each) => `${each.serial} ${each.result}`), minutes: injected.slept.reduce((a, b) => a + b, 0) / MINUTE };
}

describe("watching a push", () => {
  it("ends as unknown if the manager has forgotten its job", async () => {
    const { words, minutes } = await watched({ [SHOW]: GONE });
    expect(words).toEqual(["1 unknown", "2 unknown"]);
    expect(minutes).toBeGreaterThan(2);
    expect(minutes).toBeLessThan(5);
  });

  it("keeps results of firewalls before that", async () => {
    const { words, minutes } = await watched({ [SHOW]: (_, count) => (count < 3 ? sent(row("1", "OK"), row("2", "PEND")) : GONE) });
    expect(words).toEqual(["1 ok", "2 unknown"]);
    expect(minutes).toBeLessThan(5);
  });

  it("continues while a manager gives no useful answer for a while", async () => {
    const { words } = await watched({ [SHOW]: (_, count) => (count < 6 ? GONE : sent(row("1", "OK"), row("2", "FAIL"))) });
    expect(words).toEqual(["1 ok", "2 failed"]);
  });

  it("has a time limit if a firewall does not end", async () => {
    const { words, minutes } = await watched({ [SHOW]: sent(row("1", "OK"), row("2", "PEND")) });
    expect(words).toEqual(["1 ok", "2 unknown"]);
    expect(minutes).toBeGreaterThan(29);
  });
});
