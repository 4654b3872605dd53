import { readFileSync } from "node:fs";
import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { defineMetrics } from "../../../src/agent/metrics/definitions.js";
import { metricsObserver } from "../../../src/agent/metrics/observer.js";
import { agentMetrics } from "../../../src/agent/metrics/page.js";
import { PlumblineError } from "../../../src/core/errors.js";
import { during, observed, observing, reportRetry } from "../../../src/core/observe.js";
import { facts, known, outcome, passEnded, problem, T0 } from "../events.js";

const NO_STORE = {
  status: async () => ({ targets: new Map<string, never>(), held: undefined }),
  rollout: async () => undefined,
  unanswered: async () => new Map<string, never>(),
  ignores: () => new Map<string, never>(),
  ruleEnds: () => new Map(),
  channels: () => ["mail"],
  runner: "here:1",
};

function open(targets: () => readonly string[] = () => ["edge", "core"]) {
  let now = T0;
  let asked = 0;
  const usage = async () => {
    asked += 1;
    return { bytes: 4096, rows: 12 };
  };
  const opened = agentMetrics({ version: "1.2.3", now: () => now, ready: () => true, targets, usage, ...NO_STORE });
  const lines = async () => (await opened.page()).text.split("\n").filter((line) => line.startsWith("plumbline_"));
  return {
    ...opened,
    asked: () => asked,
    advance: (milliseconds: number) => (now += milliseconds),
    lines,
    of: async (name: string) => (await lines()).filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `)),
  };
}

describe("metrics of passes", () => {
  it("count results and show drift with its age, which grows between passes", async () => {
    const metrics = open();
    await metrics.listen(passEnded("drifted", { drift: [known("a", T0 - 60_000), known("b", T0 - 10_000)] }));
    await metrics.listen(passEnded("in-sync", { target: "core" }));
    await metrics.listen(passEnded("skipped", { target: "core", outcome: undefined }));
    metrics.advance(30_000);
    expect(await metrics.of("plumbline_drift_items")).toEqual([
      'plumbline_drift_items{target="edge"} 2',
      'plumbline_drift_items{target="core"} 0',
    ]);
    expect(await metrics.of("plumbline_drift_age_seconds")).toContain('plumbline_drift_age_seconds{target="edge"} 90');
    expect(await metrics.of("plumbline_targets_in_drift")).toEqual(["plumbline_targets_in_drift 1"]);
    expect(await metrics.of("plumbline_passes_total")).toContain('plumbline_passes_total{target="core",result="skipped"} 1');
    expect(await metrics.of("plumbline_pass_duration_seconds_sum")).toContain('plumbline_pass_duration_seconds_sum{result="drifted"} 0.25');
    await metrics.listen(passEnded("in-sync"));
    expect(await metrics.of("plumbline_drift_age_seconds")).toContain('plumbline_drift_age_seconds{target="edge"} 0');
    expect(await metrics.of("plumbline_targets_in_drift")).toEqual(["plumbline_targets_in_drift 0"]);
  });

  it("keep the last successful pass when one fails, and count the error by code", async () => {
    const metrics = open();
    await metrics.listen(passEnded("in-sync"));
    await metrics.listen(passEnded("failed", { time: T0 + 9_000, outcome: outcome({ error: problem() }) }));
    expect(await metrics.of("plumbline_last_pass_timestamp_seconds")).toEqual([
      `plumbline_last_pass_timestamp_seconds{target="edge"} ${T0 / 1000}`,
      `plumbline_last_pass_timestamp_seconds{target="core"} ${T0 / 1000}`,
    ]);
    expect(await metrics.of("plumbline_errors_total")).toEqual(['plumbline_errors_total{code="device-unreachable"} 1']);
  });

  it("show targets that do not answer, until they answer", async () => {
    const silent = new Map([["edge", { visits: 3, since: T0 - 60_000, next: T0 + 30_000 }]]);
    const usage = async () => ({ bytes: 0, rows: 0 });
    const sources = { ...NO_STORE, usage, unanswered: async () => silent };
    const { page } = agentMetrics({ version: "1", now: () => T0, ready: () => true, targets: () => ["edge", "core"], ...sources });
    const { text } = await page();
    for (const line of ['unanswered_visits{target="edge"} 3', 'unanswered_visits{target="core"} 0'])
      expect(text).toContain(`plumbline_${line}\n`);
    expect(text).toContain(`plumbline_next_visit_timestamp_seconds{target="edge"} ${(T0 + 30_000) / 1000}\n`);
    silent.clear();
    expect((await page()).text).toContain('plumbline_unanswered_visits{target="edge"} 0\n');
    expect((await page()).text).not.toContain("plumbline_next_visit_timestamp_seconds{");
  });

  it("show holds, pauses, refusals and heals", async () => {
    const metrics = open();
    const pause = { target: undefined, reason: "storm", by: "bob", since: T0, until: undefined };
    await metrics.listen({ type: "paused", pause, time: T0 });
    await metrics.listen({ type: "held", target: "edge", reason: "paused", message: "storm", time: T0 });
    const applied = { operations: 3, requests: 1, commit: "committed", job: "4", lines: [], proven: true } as const;
    await metrics.listen({ type: "applied", ...facts, digest: "d", applied, heals: 2, time: T0 });
    const refusals = [{ guard: "deletes", message: "too many", path: undefined, allow: undefined }];
    await metrics.listen({ type: "plan-refused", ...facts, digest: "d", refusals, error: problem("plan-refused"), time: T0 });
    expect(await metrics.lines()).toEqual(
      expect.arrayContaining([
        'plumbline_paused{target="*"} 1',
        'plumbline_held{target="edge",reason="paused"} 1',
        'plumbline_operations_applied_total{target="edge"} 3',
        'plumbline_heals_total{target="edge"} 2',
        'plumbline_refusals_total{guard="deletes"} 1',
      ]),
    );
    await metrics.listen({ type: "resumed", target: undefined, why: "expired", time: T0 });
    await metrics.listen({ type: "released", target: "edge", reason: "paused", time: T0 });
    expect([...(await metrics.of("plumbline_paused")), ...(await metrics.of("plumbline_held"))]).toEqual([]);
  });
});

describe("metrics of the source", () => {
  const inForce = (commit: string) =>
    ({ type: "commit-in-force", commit, previous: undefined, author: "Ann", targets: ["edge"], time: T0 }) as const;

  it("name one commit, and count rejected ones", async () => {
    const metrics = open();
    await metrics.listen(inForce("aaa"));
    await metrics.listen({ type: "commit-refused", commit: "bbb", inForce: "aaa", error: problem("commit-unsigned"), time: T0 });
    await metrics.listen({
      type: "commit-broken",
      commit: "ccc",
      inForce: "aaa",
      errors: [problem("empty-value"), problem("empty-value")],
      time: T0,
    });
    await metrics.listen({ type: "source-fetched", commit: "ddd", moved: true, time: T0 });
    await metrics.listen(inForce("ddd"));
    expect(await metrics.lines()).toEqual(
      expect.arrayContaining([
        'plumbline_commit_in_force_info{commit="ddd"} 1',
        'plumbline_commits_refused_total{reason="signature"} 1',
        'plumbline_commits_refused_total{reason="broken"} 1',
        'plumbline_errors_total{code="empty-value"} 2',
        `plumbline_source_last_fetch_timestamp_seconds ${T0 / 1000}`,
        "plumbline_targets 2",
        `plumbline_build_info{version="1.2.3",node="${process.versions.node}"} 1`,
      ]),
    );
    expect(await metrics.of("plumbline_commit_in_force_info")).toHaveLength(1);
  });

  it("drop targets that left the commit", async () => {
    let targets = ["edge", "core"];
    const metrics = open(() => targets);
    await metrics.listen(inForce("aaa"));
    await metrics.listen(passEnded("drifted", { drift: [known("a")] }));
    await metrics.listen(passEnded("in-sync", { target: "core" }));
    targets = ["core"];
    await metrics.listen(inForce("bbb"));
    const lines = await metrics.lines();
    expect(lines.filter((line) => line.includes('"edge"'))).toEqual([]);
    expect(lines).toContain("plumbline_targets_in_drift 0");
    expect(lines).toContain('plumbline_drift_items{target="core"} 0');
  });
});

describe("counters that alerts watch", () => {
  it("start at 0 for each target, reason and channel, so that increase() sees the first event after a start", async () => {
    const metrics = open();
    expect(await metrics.of("plumbline_commits_refused_total")).toEqual([
      'plumbline_commits_refused_total{reason="signature"} 0',
      'plumbline_commits_refused_total{reason="broken"} 0',
    ]);
    await metrics.listen({ type: "commit-in-force", commit: "aaa", previous: undefined, author: "Ann", targets: [], time: T0 });
    for (const target of ["edge", "core"])
      expect(await metrics.of("plumbline_passes_total")).toContain(`plumbline_passes_total{target="${target}",result="refused"} 0`);
    expect(await metrics.of("plumbline_notifications_total")).toContain('plumbline_notifications_total{channel="mail",result="failed"} 0');
    await metrics.listen(passEnded("refused"));
    expect(await metrics.of("plumbline_passes_total")).toContain('plumbline_passes_total{target="edge",result="refused"} 1');
  });
});

describe("metrics of the store", () => {
  it("query it once a minute, and show up as 1 while the agent is ready", async () => {
    const metrics = open();
    expect(await metrics.lines()).toEqual(
      expect.arrayContaining(["plumbline_store_size_bytes 4096", "plumbline_store_rows 12", "plumbline_up 1"]),
    );
    await metrics.page();
    expect(metrics.asked()).toBe(1);
    metrics.advance(61_000);
    await metrics.page();
    expect(metrics.asked()).toBe(2);
  });

  it("exist without the store's values when it fails", async () => {
    const usage = () => Promise.reject(new PlumblineError("store-busy", "busy"));
    const { page } = agentMetrics({ version: "1", now: () => T0, ready: () => false, targets: () => [], usage, ...NO_STORE });
    expect((await page()).text).toContain("plumbline_up 0");
  });
});

describe("metrics of work", () => {
  it("time requests by kind of call, and count outcomes, retries and ledger writes", async () => {
    const metrics = defineMetrics();
    let now = 0;
    const observer = metricsObserver(metrics, () => now);
    const request = { target: "edge", kind: "panos", call: "config get" };
    const ask = (status: number) =>
      observed(
        request,
        (reply: number) => reply,
        async () => {
          now += 20;
          return status;
        },
      );
    await observing(observer, () =>
      during(
        "visit",
        async () => {
          await during("ledger-before", async () => undefined);
          await during("read", async () => {
            await ask(200);
            reportRetry("edge", "panos");
            await ask(503);
          });
          await observed(
            request,
            () => 0,
            async () => Promise.reject(new Error("gone")),
          ).catch(() => undefined);
        },
        { target: "edge", waited: 1500 },
      ),
    );
    const text = await metrics.registry.metrics();
    for (const line of [
      'plumbline_requests_total{target="edge",kind="panos",outcome="2xx"} 1',
      'plumbline_requests_total{target="edge",kind="panos",outcome="5xx"} 1',
      'plumbline_requests_total{target="edge",kind="panos",outcome="error"} 1',
      'plumbline_request_retries_total{target="edge",kind="panos"} 1',
      'plumbline_request_duration_seconds_count{kind="panos",call="config get"} 3',
      'plumbline_stage_duration_seconds_sum{stage="read"} 0.04',
      "plumbline_queue_wait_seconds_sum 1.5",
      "plumbline_ledger_writes_total 1",
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).not.toContain('stage="visit"');
  });
});

describe("docs/metrics.md", () => {
  it("lists each metric with its labels and help, and no other", async () => {
    const metrics = await defineMetrics().registry.getMetricsAsJSON();
    const wanted = metrics
      .filter(({ name }) => name.startsWith("plumbline_"))
      .map((metric) => {
        const { name, type, help } = metric;
        const labels = labelsOf(name);
        return `| \`${name}\` | ${String(type)} | ${labels} | ${help} |`;
      });
    const table = readFileSync("docs/metrics.md", "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| `plumbline_"));
    expect(table).toEqual(wanted);
  });

  it("uses only existing metrics in its alerts, each with a duration and a text", async () => {
    const names = (await defineMetrics().registry.getMetricsAsJSON()).map(({ name }) => name);
    const { groups } = parse(readFileSync("deploy/helm/plumbline/alerts.yaml", "utf8")) as {
      groups: { name: string; rules: Record<string, unknown>[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(8);
    expect(faultsIn("rate(plumbline_up[5m)")).not.toEqual([]);
    for (const rule of rules) {
      expect(Object.keys(rule).sort()).toEqual(["alert", "annotations", "expr", "for", "labels"]);
      expect(rule.for).toMatch(/^\d+[smhd]$/);
      expect(rule.annotations).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
      const used = [...String(rule.expr).matchAll(/\bplumbline_[a-z_]+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ""));
      expect(used.length, String(rule.expr)).toBeGreaterThan(0);
      for (const name of used) expect(names).toContain(name);
      expect(faultsIn(String(rule.expr)), String(rule.expr)).toEqual([]);
    }
  });

  it("covers all metrics of the dashboard, in valid expressions with existing labels", async () => {
    const dashboard = JSON.parse(readFileSync("deploy/helm/plumbline/dashboard.json", "utf8")) as Dashboard;
    const asked = [...dashboard.panels.flatMap(({ targets }) => targets), ...dashboard.annotations.list];
    expect(asked.length).toBeGreaterThan(15);
    const names = (await defineMetrics().registry.getMetricsAsJSON()).map(({ name }) => name);
    for (const { expr } of asked) {
      const used = [...expr.matchAll(/\bplumbline_[a-z_]+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ""));
      expect(used.length, expr).toBeGreaterThan(0);
      for (const name of used) expect(names, expr).toContain(name);
      const labels = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", ")).filter((label) => label !== "le");
      for (const label of labels) expect(used.map(labelsOf).join(" "), expr).toContain(`\`${label}\``);
      expect(faultsIn(expr.replaceAll("$__rate_interval", "5m")), expr).toEqual([]);
    }
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
  });
});

interface Dashboard {
  readonly panels: readonly {
    readonly targets: readonly { readonly expr: string }[];
    readonly gridPos: { readonly x: number; readonly y: number };
  }[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

/** Uses the labels of the definition, because prom-client omits them from JSON before their first use. */
function labelsOf(name: string): string {
  const metric = defineMetrics().registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] };
  return metric.labelNames.map((label) => `\`${label}\``).join(" ");
}

/** Position at which Prometheus's grammar rejects an expression. */
function faultsIn(expression: string): number[] {
  const faults: number[] = [];
  parser.parse(expression).iterate({
    enter: ({ type, from }) => {
      if (type.isError) faults.push(from);
    },
  });
  return faults;
}
