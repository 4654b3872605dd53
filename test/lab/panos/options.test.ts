import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DeviceOptions } from "../../../src/lab/panos/options.js";

/** `file › part of a title` of the tests that run a value of an option. */
type Held = string;
/** Each value of an option; of numbers and free words, each side that counts. */
type Sides<Value> = [Value] extends [boolean]
  ? Record<"true" | "false", Held>
  : string extends Value
    ? Record<string, Held>
    : [Value] extends [string]
      ? Record<Value, Held>
      : Record<"out of reach" | "reached", Held>;
type Unknowns<Options> = { readonly [Name in keyof Required<Options>]: Sides<Required<Options>[Name]> };

const RUN = "test/engine/apply/push-options.long.test.ts › ";
const ARRIVAL = "test/engine/apply/push-arrival.test.ts › goes by how the manager makes of groups what firewalls get";
const OTHERS = "test/engine/apply/push-others.test.ts › ";
const FAILOVER = "test/engine/apply/push-failover.long.test.ts › ";
const POLICY = "test/targets/panos/projection/compare-policy.test.ts › ";

/**
 * Undocumented behavior of managers (docs/contributing/panorama.md#what-nobody-knows). An option of the lab without a test of each variant
 * does not compile.
 */
const HELD = {
  pushDefaults: {
    includesTemplate: { true: `${RUN}options that are left out`, false: `${RUN}options that are left out` },
    mergesCandidate: { true: `${RUN}options that are left out`, false: `${RUN}options that are left out` },
  },
  pushLimits: {
    firewalls: {
      "out of reach": `${RUN}limits the firewalls per job with push.perJob`,
      reached: `${RUN}limits the firewalls per job with push.perJob`,
    },
    commitLock: { stops: `${RUN}whether a commit lock there stops it`, lets: `${RUN}whether a commit lock there stops it` },
    systems: {
      bare: `${RUN}how a firewall with several virtual systems is named`,
      named: `${RUN}how a firewall with several virtual systems is named`,
    },
    stopped: {
      never: "test/lab/panos/manager/push.test.ts › cannot be stopped",
      FAIL: `${RUN}whether somebody may stop it`,
      CANC: `${RUN}whether somebody may stop it`,
    },
  },
  pushWords: {
    notConnected: { FAIL: `${RUN}treats the text`, PEND: `${RUN}treats the text` },
    enqueued: { recorded: `${RUN}what a push answers`, other: `${RUN}what a push answers`, none: `${RUN}what a push answers` },
    templates: { stack: `${RUN}what a push answers`, other: `${RUN}what a push answers`, none: `${RUN}what a push answers` },
  },
  selective: {
    takes: {
      nothing: `${OTHERS}is no push at all where %s`,
      policies: `${OTHERS}is no push at all where %s`,
      "policies and stacks": `${OTHERS}are excluded from a template, if the manager supports that`,
    },
    version: { newest: `${OTHERS}are excluded, also if committed between`, kept: `${OTHERS}are excluded, also if committed between` },
    window: {
      "out of reach": `${OTHERS}are excluded, also if committed between`,
      reached: `${OTHERS}cannot be excluded for a firewall that lacks too much`,
    },
  },
  projection: {
    precedence: { nearest: ARRIVAL, ancestors: ARRIVAL },
    leavesOutTargeted: { true: ARRIVAL, false: ARRIVAL },
    unused: { "left out": `${POLICY}unused`, stay: `${POLICY}unused` },
    defaultRules: { nearest: `${RUN}which default rule counts`, shared: `${RUN}which default rule counts` },
    overrides: {
      unseen: `${RUN}whether it counts what firewalls have of their own`,
      "out of sync": `${RUN}whether it counts what firewalls have of their own`,
    },
  },
  pairVersions: {
    noted: {
      author: `${FAILOVER}the number is ignored if the other manager %s`,
      nobody: `${FAILOVER}does not go out if the peer records it as %s`,
      none: `${FAILOVER}does not go out if the peer records it as %s`,
    },
    foreign: {
      refused: `${FAILOVER}the other manager refuses if it does not know the version of a firewall`,
      counted: `${FAILOVER}a selective push is refused with that number`,
    },
    before: { "out of reach": `${FAILOVER}has not reached it yet`, reached: `${FAILOVER}has reached it with own commits` },
  },
} satisfies { readonly [Name in keyof ManagerOptions]: Unknowns<ManagerOptions[Name]> };

type ManagerOptions = Required<{
  readonly [Name in "pushDefaults" | "pushLimits" | "pushWords" | "selective" | "projection" | "pairVersions"]: NonNullable<
    NonNullable<DeviceOptions["panorama"]>[Name]
  >;
}>;

const rows = Object.entries(HELD).flatMap(([group, options]) =>
  Object.entries(options).flatMap(([name, sides]) =>
    Object.entries(sides as Record<string, Held>).map(([side, held]) => [`${group}.${name}: ${side}`, ...held.split(" › ")] as const),
  ),
);

describe("an option of the lab for unknown behaviour of managers", () => {
  it.each(rows)("%s, is used by a test", (_, file = "", title = "") => {
    expect(readFileSync(file, "utf8")).toContain(title);
  });

  it("is documented", () => {
    const page = readFileSync("docs/contributing/panorama.md", "utf8");
    expect(Object.keys(HELD).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
