import type { TargetFacts } from "../../../src/agent/controls.js";
import type { DriftRecord, PassEnd, PassStart, PlanRecord, Store } from "../../../src/agent/store/store.js";
import type { RuleEnd } from "../../../src/desired/rule-end.js";
import type { Audit } from "../../../src/outcome/audit-finding.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";

export const NOW = Date.UTC(2026, 10, 20, 3, 12, 40);

const DAY = 86_400_000;

/** The first rule has ended. */
export const RULE_ENDS: readonly RuleEnd[] = [-1, 3, 4, 5, 6, 6, 7].map((days, at) => {
  const name = `chg-${at}`;
  const until = new Date(NOW + days * DAY).toISOString().slice(0, 10);
  return { scope: "vsys1", kind: "rule", name, xpath: `/rules/${name}`, until, member: undefined, isDisabled: false };
});
export const COMMIT = "4be1f0d92c7a55e08d3316c0a9b7fe2241d86a03";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const COMMIT_FACTS = { author: "Ann Horvath", at: NOW - 95 * MINUTE, message: "Guests reach the internet through the proxy alone" };
const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";

const SITES = ["ams", "bud", "fra", "lon", "mad", "prg", "vie", "waw"];
const ROLES = ["branch-1", "branch-2", "branch-3", "dc-a", "dc-b", "edge-a", "edge-b"];

/** Names to kinds and modes: firewalls of eight sites, a cloud and its controller. */
export const FLEET: ReadonlyMap<string, TargetFacts> = new Map<string, TargetFacts>([
  ...SITES.flatMap((site) =>
    ROLES.map((role): [string, TargetFacts] => {
      const labels = [`site=${site}`, ...(role === "edge-a" ? ["ring=canary"] : []), ...(role.startsWith("dc-") ? ["group=core"] : [])];
      return [`${site}-${role}`, { kind: "panos", mode: role === "branch-3" ? "observe" : "enforce", labels: labels.join("\n") }];
    }),
  ),
  ["cloud-west", { kind: "openstack", mode: "enforce" }],
  ["fabric-west", { kind: "contrail", mode: "propose" }],
]);

function start(target: string, at: number, pass: PassStart["pass"] = "drift"): PassStart {
  return { target, pass, trigger: "timer", started: at, commit: COMMIT, runner: "sample:1" };
}

function end(at: number, more: Partial<PassEnd> = {}): PassEnd {
  return { ended: at, outcome: "in-sync", exitCode: 0, reason: undefined, durations: { total: 900 }, ...more };
}

function drift(
  change: DriftRecord["change"],
  path: string,
  author: string | undefined,
  view: Readonly<Record<string, unknown>>,
): DriftRecord {
  return {
    change,
    path,
    author,
    authorTime: author === undefined ? undefined : "2026/11/20 01:47:12",
    view: { kind: change, xpath: path, ...view },
  };
}

const RULES = `${VSYS}/rulebase/security/rules`;

/** State of its assertions afterwards. */
const ASSERTED: NonNullable<PassEnd["asserted"]> = {
  holding: 11,
  others: [
    {
      name: "guests-stay-out",
      state: "broken",
      isSettled: false,
      words:
        "broken by a manual change  vsys1; guest > servers  any > net-servers (10.20.0.0/16)  any service; by rule vendor-access, by j.novak",
      source: { file: "fra/expect.yaml", line: 12 },
    },
  ],
  more: 0,
};

/** Changes on `fra-edge-a` during the night. */
const EDGE_DRIFT: readonly DriftRecord[] = [
  drift("differs", `${RULES}/entry[@name='guest-to-internet']/action`, "j.novak", {
    before: "<action>allow</action>",
    after: "<action>deny</action>",
    source: { file: "fra/rules.yaml", line: 41, column: 11 },
  }),
  drift("differs", `${RULES}/entry[@name='vendor-access']/source`, "j.novak", {
    before: "<source><member>vendor-vpn</member><member>any</member></source>",
    after: "<source><member>vendor-vpn</member></source>",
  }),
  drift("extra", `${RULES}/entry[@name='tmp-debug']`, "j.novak", {
    before:
      '<entry name="tmp-debug"><from><member>untrust</member></from><to><member>dmz</member></to><source><member>any</member></source><destination><member>any</member></destination><service><member>any</member></service><action>allow</action></entry>',
    reason: "closed",
  }),
  drift("missing", `${VSYS}/address/entry[@name='syslog-2']`, "m.kovacs", {
    after: '<entry name="syslog-2"><ip-netmask>10.20.4.18/32</ip-netmask><description>second collector</description></entry>',
  }),
  drift("order", RULES, undefined, {
    before: ["tmp-debug", "guest-to-internet", "vendor-access", "default-deny"],
    after: ["guest-to-internet", "vendor-access", "default-deny"],
    moved: ["guest-to-internet"],
  }),
];

const PLAN = {
  digest: "9f2c41ab77d0e6534bb21c08f5a0de1947c3b6aa510de2f7183cc9e4b07fd215",
  changes: [
    {
      kind: "differs",
      xpath: `${RULES}/entry[@name='guest-to-internet']/action`,
      before: "<action>allow</action>",
      after: "<action>deny</action>",
      source: { file: "fra/rules.yaml", line: 41, column: 11 },
    },
    {
      kind: "missing",
      xpath: `${VSYS}/address/entry[@name='syslog-2']`,
      after: '<entry name="syslog-2"/>',
      source: { file: "fra/objects.yaml", line: 118, column: 3 },
    },
  ],
  findings: [],
  meaning: [{ xpath: `${RULES}/entry[@name='guest-to-internet']/action`, message: "guest-to-internet goes from allow to deny" }],
  refusals: [],
  operations: [
    {
      phase: "create",
      action: "set",
      xpath: `${VSYS}/address`,
      element: '<entry name="syslog-2"><ip-netmask>10.20.4.18/32</ip-netmask><description>second collector</description></entry>',
    },
    { phase: "update", action: "edit", xpath: `${RULES}/entry[@name='guest-to-internet']/action`, element: "<action>deny</action>" },
    {
      phase: "update",
      action: "edit",
      xpath: `${RULES}/entry[@name='vendor-access']/source`,
      element: "<source><member>vendor-vpn</member></source>",
    },
    { phase: "delete", action: "delete", xpath: `${RULES}/entry[@name='tmp-debug']` },
  ],
  requests: 2,
  commitOnly: false,
  deletionsUnknown: false,
  foreign: [],
};

function planRecord(plan: typeof PLAN): PlanRecord {
  const { digest, operations, commitOnly } = plan;
  return {
    digest,
    changes: { missing: 1, differs: 2, extra: 1 },
    operations: operations.length,
    refusals: 0,
    commitOnly,
    json: JSON.stringify(plan),
  };
}

const UNREACHABLE = {
  code: "device-unreachable",
  message: "mad-dc-b does not answer: connect ETIMEDOUT 10.31.0.2:443",
  severity: "error",
  where: { target: "mad-dc-b" },
  next: "See whether the firewall is up and its management address can be reached from here.",
};

const TROUBLED = new Set(["fra-edge-a", "lon-branch-3", "waw-dc-a", "mad-dc-b", "vie-edge-b"]);

/** A night in the life of a fleet. */
export async function fillStore(store: Store): Promise<void> {
  const { passes } = store;
  for (const [i, name] of [...FLEET.keys()].entries()) {
    const hours = 2 + (i % 5);
    await passes.record(start(name, NOW - hours * HOUR), end(NOW - hours * HOUR + 900));
    const at = NOW - ((i * 7) % 14) * MINUTE - 20_000;
    if (!TROUBLED.has(name)) await passes.record(start(name, at), end(at + 900));
  }
  const edge = EDGE_DRIFT.slice(0, 1);
  await passes.record(start("fra-edge-a", NOW - 84 * MINUTE), end(NOW - 84 * MINUTE, { outcome: "pending", drift: { items: edge } }));
  await passes.record(
    start("fra-edge-a", NOW - 70 * MINUTE, "plan"),
    end(NOW - 70 * MINUTE, { outcome: "pending", plan: planRecord(PLAN) }),
  );
  await passes.record(
    start("fra-edge-a", NOW - 6 * MINUTE),
    end(NOW - 6 * MINUTE, { outcome: "pending", drift: { items: EDGE_DRIFT }, asserted: ASSERTED }),
  );
  const small = (author: string | undefined) => [
    drift("differs", `${VSYS}/address/entry[@name='dns-1']/ip-netmask`, author, {
      before: "<ip-netmask>10.0.0.54/32</ip-netmask>",
      after: "<ip-netmask>10.0.0.53/32</ip-netmask>",
    }),
  ];
  await passes.record(
    start("lon-branch-3", NOW - 50 * HOUR),
    end(NOW - 50 * HOUR, { outcome: "pending", drift: { items: small("p.schmidt") } }),
  );
  await passes.record(
    start("lon-branch-3", NOW - 4 * MINUTE),
    end(NOW - 4 * MINUTE, { outcome: "pending", drift: { items: small("p.schmidt") } }),
  );
  await passes.record(
    start("waw-dc-a", NOW - 9 * MINUTE),
    end(NOW - 9 * MINUTE, { outcome: "pending", drift: { items: small(undefined) } }),
  );
  await passes.record(
    start("mad-dc-b", NOW - 22 * MINUTE),
    end(NOW - 22 * MINUTE, { outcome: "failed", exitCode: 1, reason: UNREACHABLE.message, error: UNREACHABLE }),
  );
  await passes.record(
    start("vie-edge-b", NOW - 31 * MINUTE, "reconcile"),
    end(NOW - 31 * MINUTE, {
      outcome: "refused",
      exitCode: 3,
      reason: "41 of 88 entries would be deleted, more than 25%",
      plan: {
        ...planRecord(PLAN),
        digest: "aa".repeat(32),
        refusals: 1,
        json: JSON.stringify({
          ...PLAN,
          refusals: [{ guard: "deletes", message: "41 of 88 entries would be deleted, more than 25%", allow: "--allow deletes=47%" }],
        }),
      },
      refusals: [{ guard: "deletes", message: "41 of 88 entries would be deleted, more than 25%", path: undefined }],
    }),
  );
  await store.pauses.pause({
    target: "prg-edge-a",
    reason: "line card is being replaced, CHG-2291",
    by: "a.horvath",
    since: NOW - 40 * MINUTE,
    until: NOW + 3 * HOUR,
  });
}

/** A cloud and its controller that do not agree in all. */
const AUDIT: Audit = {
  networkService: "cloud-west",
  controller: "fabric-west",
  networks: 46,
  subnets: 71,
  outside: 2,
  findings: [
    finding("only-in-network-service", { what: "network", network: "staging-db", id: "0f4c2a1e-7d5b-4b0e-9a51-6a3c11d0be42" }),
    finding("re-keyed", {
      network: "web-front",
      subnet: "web-front-v4",
      id: "77a0c5d2-0b1e-4a55-8f6e-2d9c1a7be001",
      networkService: "77a0c5d2-0b1e-4a55-8f6e-2d9c1a7be001",
      controller: "c1d2e3f4-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
    }),
    finding("differs", {
      network: "web-front",
      subnet: "web-front-v4",
      field: "gateway",
      networkService: "10.40.0.1",
      controller: "10.40.0.254",
    }),
    finding("lookup-row", {
      network: "backup",
      subnet: "backup-v4",
      id: "5e1d9a34-3c88-4d0f-b2a7-94f1c02d7a10",
      networkService: "3b7f…9a 10.60.0.0/22",
      controller: undefined,
    }),
    finding("differs", { what: "network", network: "backup", field: "shared", networkService: "false", controller: "true" }),
    finding("only-in-controller", { what: "network", network: "lab-by-hand", id: "e9b2f6a0-1c4d-4f7e-a8b3-5d6c7e8f9a0b" }),
  ],
};

function finding(kind: Audit["findings"][number]["kind"], more: Partial<Audit["findings"][number]>): Audit["findings"][number] {
  return {
    kind,
    what: "subnet",
    network: "",
    subnet: undefined,
    id: `${kind}-${more.network}`,
    field: undefined,
    networkService: undefined,
    controller: undefined,
    ...more,
  };
}

export const AUDIT_OUTCOMES: readonly TargetOutcome[] = [{ target: "fabric-west", kind: "contrail", audit: AUDIT, warnings: [] }];
