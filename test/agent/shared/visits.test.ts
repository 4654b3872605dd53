import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startPostgres, type TestPostgres } from "../store/postgres.js";
import { SharedWorld } from "./world.js";

let postgres: TestPostgres;
let shared: SharedWorld;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await shared.close();
  await postgres.stop();
});

/** Queries of the test itself, to advance time and to wait for the end of a pass. */
const ofTest = /run_at = run_at -|^update (leases|members) set (expires|seen) = |pg_notify|^select from leases/;

/** First words of the transactions of some work. A poll for due visits that finds none does not belong to a pass. */
async function transactionsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const seen: string[] = [];
  const asked: Promise<unknown>[] = [];
  const within = new WeakSet<pg.Client>();
  const original = pg.Client.prototype.query as (this: pg.Client, ...rest: unknown[]) => unknown;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...rest: unknown[]) {
    const [said] = rest as [string | { readonly text: string }];
    const text = (typeof said === "string" ? said : said.text).trim();
    const answer = original.apply(this, rest);
    const isOne = !within.has(this) && !ofTest.test(text);
    if (/^begin|^start transaction/i.test(text)) within.add(this);
    if (/^commit|^rollback/i.test(text)) within.delete(this);
    if (isOne && answer instanceof Promise)
      asked.push(
        answer.then((result: pg.QueryResult) => (text.startsWith("with ripe") && result.rows[0].id === null ? 0 : seen.push(text))),
      );
    return answer as never;
  });
  try {
    await work();
    await Promise.all(asked);
    return seen.map((text) => text.split(/\s+/).slice(0, 2).join(" "));
  } finally {
    spy.mockRestore();
  }
}

const HOUR = 3_600_000;
const TAKEN = "with ripe";
const GIVEN_BACK = "with mine";

it("needs two transactions for a quiet pass: one takes all due targets, one returns each with all records", async () => {
  shared = await SharedWorld.start(postgres, { targets: ["edge"], agent: "skipPasses: 2" });
  const agent = await shared.agent();
  await agent.event("commit-in-force");
  await shared.live(agent.event("applied"), [agent]);
  /** The transactions of the next pass, from its due time until its target is released. */
  const pass = async (): Promise<readonly [string, readonly string[]]> => {
    const from = agent.events.length;
    let result = "";
    const transactions = await transactionsOf(async () => {
      await shared.passTime(HOUR);
      result = (await agent.event("pass-ended", () => true, from)).result;
      while ((await shared.query("select from leases where holder <> ''")).length > 0);
    });
    return [result, transactions];
  };
  while ((await pass())[0] !== "skipped");
  const full = [
    TAKEN,
    "begin", // the pass begins
    'select "text",', // the ledger, for what the next pass goes by
    'select "text",', // the ledger, for the plan
    'select "owner",', // what other owners hold
    "select *", // drift that stands open
    "select *", // pauses, for the status
    "begin", // the pass ends
    GIVEN_BACK,
  ];
  expect([await pass(), await pass(), await pass()]).toEqual([
    ["skipped", [TAKEN, GIVEN_BACK]],
    ["in-sync", full],
    ["skipped", [TAKEN, GIVEN_BACK]],
  ]);
}, 60_000);
