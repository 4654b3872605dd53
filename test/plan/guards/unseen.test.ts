import { describe, expect, it } from "vitest";
import { addresses, type Case, planOf, V1 } from "./support.js";

const A = `${V1}/address/entry[@name='a']`;
const B = `${V1}/address/entry[@name='b']`;
const TAG = `${V1}/tag/entry[@name='t']`;
const EMPTY = "<address></address><tag></tag>";
const WANTED = `${addresses(["a", "b"])}<tag><entry name="t"/></tag>`;

function knowing(paths: readonly string[], test: Partial<Case> = {}): Case {
  const { more, ...others } = test;
  const record = { owner: "o", target: "t", commit: undefined, paths, adopted: [], secrets: {} };
  return { live: EMPTY, wanted: WANTED, ...others, more: { ...more, ledger: { state: "present", record } } };
}

const guardsOf = (test: Case): string[] => planOf(test).refusals.map(({ guard }) => guard);

describe("all that the ledger knows of a virtual system and none of which is read", () => {
  it("is not believed to be gone, until it is said", () => {
    const [refusal, ...others] = planOf(knowing([A, B, TAG])).refusals;
    expect(others).toEqual([]);
    expect(refusal).toMatchObject({ guard: "empty-live", allow: `--allow-empty-live "${V1}"` });
    expect(refusal?.message).toMatch(/^By the ledger 3 entries/);
    const allowEmptyLive = refusal?.path === undefined ? [] : [refusal.path];
    expect(guardsOf(knowing([A, B, TAG], { more: { allowEmptyLive } }))).toEqual([]);
  });

  it("is believed to be gone where it is a single entry, whose absence the reader has borne out", () => {
    expect(guardsOf(knowing([A]))).toEqual([]);
  });

  it("counts what was announced and never read back for nothing", () => {
    const announcing = knowing([A, B]);
    const { ledger } = announcing.more ?? {};
    if (ledger?.state !== "present") throw new Error("no ledger");
    const record = { ...ledger.record, announced: [B] };
    expect(guardsOf({ ...announcing, more: { ledger: { state: "present", record } } })).toEqual([]);
  });
});

it("what is missed beside something of ours, or of others, in its lists was deleted", () => {
  expect(guardsOf(knowing([A, B, TAG], { live: `<address></address><tag><entry name="t"/></tag>` }))).toEqual([]);
  expect(guardsOf(knowing([A, B], { live: addresses(["theirs"]) }))).toEqual([]);
});
