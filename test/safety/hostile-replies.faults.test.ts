import { describe, expect, it } from "vitest";
import { startLab } from "../targets/contrail/fixtures.js";
import { examine, MOST_REQUESTS } from "./replies/examine.js";
import * as subjects from "./replies/subjects.js";

// Any reply in place of the device's: readers end soon with a tree or with their own error, and do not use truncated replies. The replies
// are real ones of the lab with one fault.

const ROUNDS = 1_500;
const SEED = 20_261_122;

describe.each(Object.entries(subjects))("the reader of %s", (_, open) => {
  it(`survives ${ROUNDS} damaged replies`, { timeout: ROUNDS * 100 }, async () => {
    const { wrong, believed, refused } = await examine(await open(), SEED, ROUNDS);
    expect(wrong).toEqual([]);
    // Either many commits, or unexpected changes.
    expect(Math.min(believed, refused)).toBeGreaterThan(ROUNDS / 50);
  });
});

it("detects readers that crash, accept truncated replies, are slow or never end", async () => {
  const lab = await startLab();
  const found = async (understand: (text: string, ask: () => Promise<string>) => Promise<string> | string): Promise<string> => {
    const naive: subjects.Subject = async (dispatcher) => {
      const pool = dispatcher(lab.url, {});
      const ask = async (): Promise<string> => {
        const { body } = await pool.request({ origin: lab.url, path: "/projects?detail=true", method: "GET" });
        const chunks: Buffer[] = [];
        for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
      };
      const said = await understand(await ask(), ask);
      await pool.destroy();
      return said;
    };
    return (await examine(naive, SEED, 40)).wrong.join("\n");
  };
  expect(await found((text) => JSON.stringify(JSON.parse(text)))).toContain("crash: seed");
  expect(await found((text) => text)).toContain("believed what is cut: seed");
  expect(await found(slowOverWhatIsCut)).toContain("slow: seed");
  const follow = async (text: string, ask: () => Promise<string>): Promise<string> => {
    while (!text.includes("projects")) await ask();
    return "";
  };
  expect(await found(follow)).toContain(`more than ${MOST_REQUESTS} requests`);
});

function slowOverWhatIsCut(text: string): string {
  const until = process.cpuUsage().user + (text.trimEnd().endsWith("}") ? 0 : 50_000);
  while (process.cpuUsage().user < until);
  return "";
}
