import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openInstruments } from "../../src/agent/instruments.js";
import { observing } from "../../src/core/observe.js";
import { RecordingServer } from "./recording-server.js";
import { AgentWorld } from "./world.js";

let server: RecordingServer;
let world: AgentWorld;

beforeEach(async () => {
  server = await RecordingServer.start();
  world = await AgentWorld.start({ agent: `notify: { hook: { kind: webhook, url: "${server.url}/hook" } }` });
});

afterEach(async () => {
  await world.close();
  await server.close();
});

interface WireSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** Visits every target once with all instruments. Returns the metrics and the log. */
async function once(environment: Record<string, string>) {
  const lines: string[] = [];
  const logger = pino({ level: "info", base: null }, { write: (line: string) => void lines.push(line) });
  const opened = await world.openAgent();
  if (world.store === undefined) throw new Error("no store");
  const instruments = await openInstruments(opened, { logger, store: world.store, environment, clock: world.clock });
  const results = await observing(instruments.observer, () => opened.agent.once(new AbortController().signal));
  const page = await instruments.pages.get("/metrics")?.();
  await instruments.close();
  await world.end();
  return { results, metrics: page?.text ?? "", log: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

it("a visit that applies changes shows in metrics, log, traces and notifications", async () => {
  await world.once();
  world.meddle("a", "10.9.9.9");
  const { results, metrics, log } = await once({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url });
  expect(results.get("edge")).toBe("applied");
  for (const line of [
    "plumbline_up 1",
    "plumbline_targets 1",
    'plumbline_passes_total{target="edge",result="applied"} 1',
    'plumbline_operations_applied_total{target="edge"} 1',
    'plumbline_drift_items{target="edge"} 0',
    'plumbline_stage_duration_seconds_count{stage="commit"} 1',
    "plumbline_queue_wait_seconds_count 1",
  ])
    expect(metrics).toContain(`${line}\n`);
  expect(metrics).toMatch(/^plumbline_requests_total\{target="edge",kind="panos",outcome="2xx"\} [1-9]/m);
  expect(metrics).toMatch(/^plumbline_request_duration_seconds_count\{kind="panos",call="config get"\} [1-9]/m);
  expect(metrics).toMatch(/^plumbline_store_rows [1-9]/m);
  expect(metrics).not.toMatch(/10\.0\.0\.1|\/config|secret/);
  const passes = log.filter(({ event }) => event === "pass-ended");
  expect(passes.map(({ target, result }) => [target, result])).toEqual([
    ["edge", "drifted"],
    ["edge", "applied"],
  ]);
  const { durations, digest, commit } = passes[1] as { durations: Record<string, number>; digest: string; commit: string };
  expect(Object.keys(durations)).toEqual(expect.arrayContaining(["pass", "read", "diff", "plan", "apply", "write", "commit", "read-back"]));
  expect(digest).toMatch(/^[0-9a-f]{64}$|^sha256/);
  expect(commit).toBe(world.git("rev-parse", "HEAD"));

  const spans = server.arrived
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ text }) => (JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[] }).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const named = new Map(spans.map((span) => [span.spanId, span]));
  const above = ({ parentSpanId }: WireSpan): string[] => {
    const parent = parentSpanId === undefined ? undefined : named.get(parentSpanId);
    return parent === undefined ? [] : [...above(parent), parent.name];
  };
  const places = new Set(spans.map((span) => [...above(span), span.name].join(" > ")));
  for (const place of [
    "visit",
    "visit > pass",
    "visit > pass > read > panos config get",
    "visit > pass > plan > diff",
    "visit > pass > apply > commit > panos commit",
  ])
    expect([...places]).toContain(place);
  // Concurrent with the poll of the commit job, or after it.
  expect([...places].some((place) => /^visit > pass > apply > (?:commit > )?read-back > read$/.test(place))).toBe(true);
  expect([...places].some((place) => place.startsWith("visit > pass > apply > write > panos config"))).toBe(true);

  const told = server.arrived
    .filter(({ path }) => path === "/hook")
    .flatMap(({ text }) => (JSON.parse(text) as { notices: { topic: string; target: string }[] }).notices.map(({ topic }) => topic));
  expect(told).toEqual(["drift", "in-sync"]);
});

it("a target without changes causes no output", async () => {
  await once({});
  const before = server.arrived.length;
  const { results, log } = await once({});
  expect(results.get("edge")).toBe("in-sync");
  expect(log.filter(({ event }) => event === "pass-ended")).toHaveLength(1);
  expect(server.arrived).toHaveLength(before);
});
