import { describe, expect, it } from "vitest";
import { desired, firewallCapabilities, tree } from "../plan/support/planned.js";
import { addresses, type Case, planOf, refusalsBy, V1, vsys } from "./support.js";

const change: Case = { live: addresses(["a", "b"]), wanted: addresses(["a", "b"], () => "10.0.0.2") };
const guardsOf = (test: Case): string[] => planOf(test).refusals.map(({ guard }) => guard);
const rules = (action: string): string => `<rules><entry name="r"><action>${action}</action></entry></rules>`;

describe("expired ignores", () => {
  const ignoring = (until: string | undefined): Case => {
    const ignores = [{ path: `${V1}/tag`, owner: "ops", reason: "moving", until, origin: -1 }];
    return { ...change, more: { desired: { ...desired(vsys(change.wanted)), ignores }, today: "2026-03-02" } };
  };

  it("refuse from the day after their last day, and can be overridden by number", () => {
    expect(planOf(ignoring("2026-03-02")).refusals).toEqual([]);
    expect(planOf(ignoring(undefined)).refusals).toEqual([]);
    expect(planOf(ignoring("2026-03-01")).refusals).toEqual([
      expect.objectContaining({
        guard: "expired-ignores",
        message: expect.stringMatching(/tag ended on 2026-03-01 \(ops: moving\)/),
        allow: "--allow expired-ignores=1",
      }),
    ]);
    expect(planOf({ ...ignoring("2026-03-01"), allow: { "expired-ignores": "1" } }).refusals).toEqual([]);
  });
});

describe("changes that can lock Plumbline out", () => {
  const kindGuards = {
    management: (path: { tag: string }) => (path.tag === "ip" ? "the address we come by" : undefined),
    meaning: () => undefined,
    neverPruned: () => false,
  };

  it("are refused at the dangerous node, also below created or deleted nodes", () => {
    const [first] = refusalsBy(planOf({ ...change, more: { kindGuards } }), "management");
    expect(first).toMatchObject({ message: "This can lock Plumbline out: the address we come by", allow: "--allow management" });
    expect(first?.path?.toString()).toBe(`${V1}/address/entry[@name='a']/ip`);
    expect(guardsOf({ live: addresses(["a"]), wanted: addresses(["a", "n"]), more: { kindGuards } })).toEqual(["management"]);
    const gone: Case = { live: addresses(["a", "n"]), wanted: addresses(["a"]), exclusive: [`${V1}/address`], more: { kindGuards } };
    expect(guardsOf(gone)).toEqual(["management"]);
    expect(guardsOf({ ...change, allow: { management: "" }, more: { kindGuards } })).toEqual([]);
  });
});

describe("a change of meaning", () => {
  const kindGuards = {
    management: () => undefined,
    meaning: (path: { name?: string | undefined }) => (path.name === "r" ? "deny becomes allow." : undefined),
    neverPruned: () => false,
  };
  const weaker: Case = { live: rules("deny"), wanted: rules("allow"), more: { kindGuards } };

  it("is always shown, and refused if approval is required", () => {
    const plan = planOf(weaker);
    expect([plan.meaning.map(({ message }) => message), plan.refusals]).toEqual([["deny becomes allow."], []]);
    const required: Case = { ...weaker, more: { kindGuards, approve: "required" } };
    expect(planOf(required).refusals).toEqual([
      expect.objectContaining({ guard: "meaning", message: "deny becomes allow. Approval is required.", allow: "--allow meaning" }),
    ]);
    expect(guardsOf({ ...required, allow: { meaning: "" } })).toEqual([]);
  });
});

describe("uncommitted changes of others", () => {
  const at = (xpath: string, owner = "bob"): Case["more"] => ({ pending: [{ owner, xpath, action: "SET" }] });

  it("are refused on owned nodes, and omitted with leaveOut", () => {
    const [refusal] = planOf({ ...change, more: at(`${V1}/address/entry[@name='a']`) }).refusals;
    expect(refusal).toMatchObject({ guard: "foreign-changes", allow: undefined });
    expect(refusal?.message).toContain(
      `"bob" has an uncommitted change (set) at a path that this repository manages: ${V1}/address/entry[@name='a']`,
    );
    expect(guardsOf({ ...change, more: { ...at(`${V1}/address/entry[@name='a']`), foreignChanges: "leaveOut" } })).toEqual([]);
    expect(guardsOf({ ...change, more: at(V1) })).toEqual(["foreign-changes"]);
  });

  it("are ignored elsewhere, if they are this account's, or if nothing is written", () => {
    expect(guardsOf({ ...change, more: at("/config/vsys/entry[@name='v2']/address/entry[@name='a']") })).toEqual([]);
    expect(guardsOf({ ...change, more: at(`${V1}/address/entry[@name='a']`, "plumbline") })).toEqual([]);
    expect(guardsOf({ ...change, wanted: change.live, more: at(`${V1}/address/entry[@name='a']`) })).toEqual([]);
  });

  it("are refused anywhere if only everything can be committed", () => {
    const elsewhere = at("/config/vsys/entry[@name='v2']/address/entry[@name='a']");
    const capabilities = { ...firewallCapabilities, partialCommit: false };
    expect(guardsOf({ ...change, more: { ...elsewhere, capabilities, foreignChanges: "leaveOut" } })).toEqual(["foreign-changes"]);
  });

  it("are compared with running: another entry of the list does not interfere", () => {
    const running = tree(vsys(change.live));
    const candidate = tree(vsys(change.live.replace("</address>", '<entry name="theirs"><ip>10.9.9.9</ip></entry></address>')));
    expect(guardsOf({ ...change, more: { ...at(`${V1}/address`), candidate, running } })).toEqual([]);
    const ours = tree(vsys(change.live.replace("10.0.0.1", "10.9.9.9")));
    expect(guardsOf({ ...change, more: { ...at(`${V1}/address`), candidate: ours, running } })).toEqual(["foreign-changes"]);
  });

  it("are refused if their node is unknown", () => {
    expect(guardsOf({ ...change, more: at("somewhere") })).toEqual(["foreign-changes"]);
  });

  it("are refused in a rulebase that the plan writes, also with leaveOut", () => {
    const inside = (action: string): string => `<rulebase><rules><entry name="r"><action>${action}</action></entry></rules></rulebase>`;
    const writing: Case = { live: inside("deny"), wanted: inside("allow") };
    const theirs = (vsysName: string): Case["more"] => ({
      ...at(`/config/vsys/entry[@name='${vsysName}']/rulebase/rules/entry[@name='theirs']`),
      foreignChanges: "leaveOut",
    });
    expect(planOf({ ...writing, more: theirs("v1") }).refusals[0]?.message).toMatch(/in a rulebase that this plan writes/);
    expect(guardsOf({ ...writing, more: theirs("v2") })).toEqual([]);
  });
});

describe("objects of another owner", () => {
  const row = `${V1}/address/entry[@name='a']`;

  it("are refused at, above and below the path in that owner's ledger", () => {
    for (const path of [row, `${V1}/address`, `${row}/ip`]) {
      const [refusal] = planOf({ ...change, more: { otherLedgers: new Map([[path, "netops-b"]]) } }).refusals;
      expect(refusal).toMatchObject({ guard: "other-owner", message: expect.stringContaining('"netops-b"'), allow: undefined });
    }
    expect(guardsOf({ ...change, more: { otherLedgers: new Map([[`${V1}/address/entry[@name='aa']`, "b"]]) } })).toEqual([]);
  });
});

describe("broken references", () => {
  const rule = (source: string): string =>
    `<rules><entry name="r"><source><member>${source}</member></source><destination><member>any</member></destination></entry></rules>`;

  it("from objects outside the plan are refused by name", () => {
    const plan = planOf({ live: addresses(["a", "b"]) + rule("a"), wanted: addresses(["b"]), exclusive: [`${V1}/address`] });
    expect(plan.refusals).toEqual([expect.objectContaining({ guard: "referrers", allow: undefined })]);
    expect(plan.refusals[0]?.message).toMatch(/^address "a" would be deleted, but is still used at a path.*entry\[@name='r'\]\/source/);
  });
});
