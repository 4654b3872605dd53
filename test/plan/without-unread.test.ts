import { describe, expect, it } from "vitest";
import { plan } from "./support/planned.js";

const V1 = "/config/vsys/entry[@name='v1']";
const SHARED = "/config/shared/address";

const address = (name: string) => `<entry name="${name}"><ip>10.0.0.1</ip></entry>`;
const rule = (name: string, source: string) => `<entry name="${name}"><source><member>${source}</member></source></entry>`;
const config = (shared: string, v1: string, rules = "") =>
  `<config><shared><address>${shared}</address></shared><vsys><entry name="v1"><address>${v1}</address><rules>${rules}</rules></entry></vsys></config>`;

const WANTED = config(address("s1") + address("s2"), address("a") + address("b"), rule("r", "s1") + rule("q", "b"));
const ROWS = [`${SHARED}/entry[@name='s1']`, `${SHARED}/entry[@name='s2']`, `${V1}/address/entry[@name='a']`];

function planned(live: string, paths: readonly string[] = ROWS, showsUnseen = false) {
  const record = { owner: "o", target: "t", commit: undefined, paths, adopted: [], secrets: {} };
  return plan(live, WANTED, { ledger: { state: "present", record }, showsUnseen });
}

describe("a scope in which no known object was read", () => {
  const unseen = planned(config("", address("a")));

  it("is refused separately", () => {
    expect(unseen.refusals).toMatchObject([{ guard: "empty-live", stops: "subtree" }]);
    expect(unseen.refusals[0]?.path?.toString()).toBe("/config/shared");
  });

  it("is omitted together with references to its objects, and the rest is planned", () => {
    expect(unseen.leftOut.map(String)).toEqual(["/config/shared", `${V1}/rules/entry[@name='r']`]);
    expect(unseen.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      `missing ${V1}/address/entry[@name='b']`,
      `missing ${V1}/rules/entry[@name='q']`,
    ]);
    expect(unseen.operations.length).toBeGreaterThan(0);
    expect(unseen.operations.every(({ operation }) => operation.at.toString().startsWith(V1))).toBe(true);
  });

  it("stays in the ledger, also rows that are no longer declared", () => {
    const gone = `${SHARED}/entry[@name='former']`;
    const rows = planned(config("", address("a")), [...ROWS, gone]).owns.filter((row) => row.startsWith("/config/shared"));
    expect(rows).toEqual([gone, ...ROWS.slice(0, 2)]);
  });

  it("is shown as missing by drift", () => {
    const shown = planned(config("", address("a")), ROWS, true);
    expect([shown.refusals, shown.leftOut]).toEqual([[], []]);
    expect(shown.changes.map(({ path }) => path.toString())).toContain(`${SHARED}/entry[@name='s1']`);
  });
});

it("a reference to an object that was read does not wait", () => {
  const seen = planned(config(address("s2"), address("a")));
  expect([seen.refusals, seen.leftOut]).toEqual([[], []]);
  expect(seen.changes.map(({ path }) => path.toString())).toContain(`${SHARED}/entry[@name='s1']`);
});
