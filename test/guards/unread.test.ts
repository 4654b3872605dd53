import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { buildShape } from "../../src/core/tree/shape-table.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../src/desired/model.js";
import { refuseUnread } from "../../src/guards/unread.js";
import type { PlanInput } from "../../src/plan/model.js";
import { desired, planInput, tree } from "../plan/support/planned.js";
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

describe("all ledger objects of a virtual system are missing", () => {
  it("they are not treated as deleted until a user confirms it", () => {
    const [refusal, ...others] = planOf(knowing([A, B, TAG])).refusals;
    expect(others).toEqual([]);
    expect(refusal).toMatchObject({ guard: "empty-live", allow: `--allow "empty-live=${V1}"` });
    expect(refusal?.message).toMatch(/^The ledger lists 3 managed entries/);
    const allowEmptyLive = refusal?.path === undefined ? [] : [refusal.path];
    expect(guardsOf(knowing([A, B, TAG], { more: { allowEmptyLive } }))).toEqual([]);
  });

  it("a single missing entry is treated as deleted, because the reader has confirmed its absence", () => {
    expect(guardsOf(knowing([A]))).toEqual([]);
  });

  it.each(["announced", "leaving"])("rows that were %s and never read back do not count", (said) => {
    const saying = knowing([A, B]);
    const { ledger } = saying.more ?? {};
    if (ledger?.state !== "present") throw new Error("no ledger");
    const record = { ...ledger.record, [said]: [B] };
    expect(guardsOf({ ...saying, more: { ledger: { state: "present", record } } })).toEqual([]);
  });
});

it("a missing object next to other objects in its list was deleted", () => {
  expect(guardsOf(knowing([A, B, TAG], { live: `<address></address><tag><entry name="t"/></tag>` }))).toEqual([]);
  expect(guardsOf(knowing([A, B], { live: addresses(["theirs"]) }))).toEqual([]);
});

describe("evidence", () => {
  const marked = buildShape({
    root: {
      $: "container",
      networks: { $: "list", owner: "leaf mark", ports: { $: "list", owner: "leaf mark" } },
      notes: { $: "list", deep: { $: "list" } },
    },
    types: {},
  });
  const NETS = "/config/networks";
  const net = (name: string): string => `${NETS}/entry[@name='${name}']`;
  const node = (tag: string, declared: boolean, children: readonly DesiredNode[] = [], name?: string): DesiredNode =>
    new DesiredNode(tag, name, "", children, { origin: -1, prunes: false, declared });
  const config = (...children: DesiredNode[]): DesiredNode => node("config", false, children);
  const nets = (...declared: boolean[]): DesiredNode =>
    node(
      "networks",
      false,
      declared.map((each, i) => node("entry", each, [], `n${i}`)),
    );

  function told(paths: readonly string[], more: Partial<PlanInput> = {}, wanted = config(nets(true)), live = "<config/>"): string[] {
    const record = { owner: "us", target: "t", commit: undefined, paths, adopted: [], secrets: {} };
    const ledger = { state: "present" as const, record };
    const input = planInput(tree(live), desired("<config/>"), { shape: marked, owner: "us", ledger, ...more });
    return refuseUnread({ input, declared: wanted }).map(({ guard, path }) => `${guard} ${path}`);
  }
  const EMPTY = [`empty-live ${NETS}`];
  const BOTH = [net("a"), net("b")];

  it("is per list if entries carry marks, and per outermost list without scopes", () => {
    expect(told(BOTH)).toEqual(EMPTY);
    const deep = ["/config/notes/entry[@name='x']/deep/entry[@name='y']", "/config/notes/entry[@name='z']"];
    const notes = config(node("notes", false, [node("entry", true, [], "n")]));
    expect(told(deep, {}, notes)).toEqual(["empty-live /config/notes"]);
  });

  it("is per row if nothing surrounds it", () => {
    const wanted = config(node("notes", true));
    for (const rows of [
      ["/config/notes", "/config/networks"],
      ["/config/entry[@name='a']", "/config/entry[@name='b']"],
    ])
      expect(told(rows, {}, wanted)).toEqual([]);
  });

  it("is not needed if nothing of it is desired, but if a part is", () => {
    expect(told(BOTH, {}, config())).toEqual([]);
    expect(told(BOTH, {}, config(nets(false)))).toEqual([]);
    expect(told(BOTH, {}, config(nets(false, true)))).toEqual(EMPTY);
  });

  it("includes an existing owned entry, but no entry of another owner", () => {
    const live = (owner: string, name = "z"): string =>
      `<config><networks><entry name="${name}"><owner>${owner}</owner></entry></networks></config>`;
    expect(told(BOTH, {}, undefined, live("us"))).toEqual([]);
    expect(told(BOTH, {}, undefined, live("them"))).toEqual(EMPTY);
    expect(told(BOTH, { owner: undefined }, undefined, live("them"))).toEqual([]);
    expect(told(BOTH, {}, undefined, live("them", "a"))).toEqual([]);
  });

  it("counts a ledger row itself, not nested rows", () => {
    const ports = [`${net("a")}/ports/entry[@name='p']`, `${net("a")}/ports/entry[@name='q']`];
    const wanted = config(node("networks", false, [node("entry", false, [node("ports", false, [node("entry", true, [], "p")])], "a")]));
    expect(told(ports, {}, wanted)).toEqual([`empty-live ${net("a")}/ports`]);
    expect(told([net("a"), ...ports], {}, wanted)).toEqual([]);
  });

  it("is what was read", () => {
    expect(told(BOTH, { only: parsePath(net("a")) })).toEqual([]);
    expect(told(BOTH, { only: parsePath(NETS) })).toEqual(EMPTY);
    expect(told(BOTH, { only: parsePath("/config/notes") })).toEqual([]);
  });

  it("is accepted for everything if confirmed", () => {
    expect(told(BOTH, { allowEmptyLive: [parsePath("/config")] })).toEqual([]);
    expect(told(BOTH, { allowEmptyLive: [parsePath(net("a"))] })).toEqual(EMPTY);
    const inside = [`${net("x")}/ports/entry[@name='p']`, `${net("x")}/ports/entry[@name='q']`];
    const wanted = config(node("networks", false, [node("entry", false, [node("ports", false, [node("entry", true, [], "p")])], "x")]));
    expect(told(inside, { allowEmptyLive: [parsePath(net("x"))] }, wanted)).toEqual([]);
    const deep = ["/config/notes/entry[@name='x']/deep/entry[@name='y']", "/config/notes/entry[@name='x']/deep/entry[@name='z']"];
    const notes = config(node("notes", false, [node("entry", false, [node("deep", false, [node("entry", true, [], "y")])], "x")]));
    expect(told(deep, {}, notes)).toEqual(["empty-live /config/notes"]);
    expect(told(deep, { allowEmptyLive: [parsePath("/config/notes/entry[@name='x']")] }, notes)).toEqual([]);
  });

  it("is reported once: only the reader's doubt if it covers all of it", () => {
    const doubt = (path: string) => ({ path: parsePath(path), why: new PlumblineError("empty-read-not-believed", "it was there") });
    expect(told(BOTH, { doubts: [doubt(NETS)] })).toEqual([`empty-read-not-believed ${NETS}`]);
    expect(told(BOTH, { doubts: [doubt("/config/notes"), doubt(NETS)] })).toEqual([
      "empty-read-not-believed /config/notes",
      `empty-read-not-believed ${NETS}`,
    ]);
    expect(told(BOTH, { doubts: [doubt(net("a"))] })).toEqual([`empty-read-not-believed ${net("a")}`, ...EMPTY]);
    expect(told(BOTH, { doubts: [doubt(NETS)], showsUnseen: true })).toEqual([`empty-read-not-believed ${NETS}`]);
    expect(told(BOTH, { showsUnseen: true })).toEqual([]);
    const input = planInput(tree("<config/>"), desired("<config/>"), { doubts: [doubt(NETS)] });
    expect(refuseUnread({ input, declared: config() })).toEqual([
      { guard: "empty-read-not-believed", message: "it was there", path: parsePath(NETS), stops: "subtree", allow: undefined },
    ]);
  });
});
