import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SpanExporter } from "../../../src/agent/traces/exporter.js";
import { openTraces } from "../../../src/agent/traces/open-traces.js";
import { traceSettings } from "../../../src/agent/traces/settings.js";
import type { Span } from "../../../src/agent/traces/span.js";
import { PlumblineError } from "../../../src/core/errors.js";
import { during, observed, observing } from "../../../src/core/observe.js";
import { RecordingServer } from "../recording-server.js";

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  readonly status: { code?: number; message?: string };
}

interface WireBody {
  readonly resourceSpans: {
    resource: { attributes: WireSpan["attributes"] };
    scopeSpans: { scope: { name: string }; spans: WireSpan[] }[];
  }[];
}

let collector: RecordingServer;

beforeEach(async () => {
  collector = await RecordingServer.start();
});

afterEach(() => collector.close());

function settings(more: Record<string, string> = {}) {
  const found = traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...more });
  if (found === undefined) throw new Error("no settings");
  return found;
}

const bodies = (): WireBody[] => collector.arrived.map(({ text }) => JSON.parse(text) as WireBody);
const spans = (): WireSpan[] =>
  bodies().flatMap((body) => body.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
const attributes = (list: WireSpan["attributes"]) =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

async function visit(): Promise<void> {
  const request = { target: "edge", kind: "panos", call: "config get" };
  const work = async (): Promise<void> =>
    await during("pass", async () => {
      await during("read", () =>
        observed(
          request,
          (status: number) => status,
          async () => 200,
        ),
      );
      during("plan", () => during("diff", () => undefined));
      await during("commit", async () => Promise.reject(new PlumblineError("commit-failed", "The commit failed: no such zone")));
    });
  await during("visit", work, { target: "edge", waited: 40, attributes: { trigger: "timer" } }).catch(() => undefined);
}

describe("a visit as a trace", () => {
  it("arrives at a collector as one tree of spans", async () => {
    const lost: string[] = [];
    const traces = openTraces(settings({ OTEL_EXPORTER_OTLP_HEADERS: "x-key=s%20ecret" }), (why) => lost.push(why));
    await observing(traces.observer, visit);
    await traces.close();
    expect(lost).toEqual([]);
    expect(collector.arrived).toHaveLength(1);
    expect(collector.arrived[0]).toMatchObject({
      method: "POST",
      path: "/v1/traces",
      headers: { "content-type": "application/json", "x-key": "s ecret" },
    });
    const [resource] = bodies()[0]?.resourceSpans ?? [];
    expect(attributes(resource?.resource.attributes ?? [])).toMatchObject({ "service.name": "plumbline" });
    const all = spans();
    const byName = new Map(all.map((span) => [span.name, span]));
    const parentOf = (name: string) => all.find(({ spanId }) => spanId === byName.get(name)?.parentSpanId)?.name;
    expect(Object.fromEntries([...byName.keys()].map((name) => [name, parentOf(name)]))).toEqual({
      visit: undefined,
      pass: "visit",
      read: "pass",
      "panos config get": "read",
      plan: "pass",
      diff: "plan",
      commit: "pass",
    });
    expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(7);
    for (const { traceId, spanId, startTimeUnixNano, endTimeUnixNano, attributes: own } of all) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
      expect(Math.abs(Number(BigInt(startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(60_000);
      expect(attributes(own)["plumbline.target"]).toBe("edge");
    }
    const request = byName.get("panos config get");
    expect(request?.kind).toBe(3);
    expect(attributes(request?.attributes ?? [])).toMatchObject({ "http.response.status_code": 200, "plumbline.kind": "panos" });
    expect(attributes(byName.get("visit")?.attributes ?? [])).toMatchObject({ "plumbline.trigger": "timer", "plumbline.waited_ms": 40 });
    expect(byName.get("commit")?.status).toEqual({ code: 2, message: "The commit failed: no such zone" });
    expect(attributes(byName.get("commit")?.attributes ?? [])["error.type"]).toBe("commit-failed");
    expect(byName.get("read")?.status).toEqual({});
  });

  it("is sampled", async () => {
    const traces = openTraces(settings({ OTEL_TRACES_SAMPLER: "always_off" }), () => undefined);
    await observing(traces.observer, visit);
    await traces.close();
    expect(collector.arrived).toEqual([]);
  });
});

describe("a collector that", () => {
  const span = (name: string): Span => ({
    traceId: "a".repeat(32),
    spanId: "b".repeat(16),
    parentId: undefined,
    name,
    kind: "internal",
    start: 1n,
    end: 2n,
    attributes: {},
    failure: undefined,
  });

  it("is offline gets the spans later, with one warning", async () => {
    const lost: string[] = [];
    const exporter = new SpanExporter(settings(), "1", (why) => lost.push(why));
    collector.answers.push(503, "drop");
    exporter.add(span("first"));
    await exporter.flush();
    await exporter.flush();
    exporter.add(span("second"));
    await exporter.close();
    expect(lost).toEqual([`${collector.url}: it answers 503`]);
    expect(bodies().map((body) => body.resourceSpans[0]?.scopeSpans[0]?.spans.map(({ name }) => name))).toEqual([
      ["first"],
      ["first"],
      ["first", "second"],
    ]);
  });

  it("refuses spans does not get them again", async () => {
    const exporter = new SpanExporter(settings(), "1", () => undefined);
    collector.answers.push(400);
    exporter.add(span("first"));
    await exporter.flush();
    await exporter.close();
    expect(collector.arrived).toHaveLength(1);
  });

  it("accepts nothing for long costs spans, not memory", async () => {
    const exporter = new SpanExporter(settings(), "1", () => undefined);
    collector.answers.push(...Array.from({ length: 40 }, () => 503));
    for (let i = 0; i < 10_000; i++) exporter.add(span(String(i)));
    await exporter.flush();
    collector.answers.length = 0;
    const before = collector.arrived.length;
    await exporter.close();
    const sent = bodies()
      .slice(before)
      .flatMap((body) => body.resourceSpans[0]?.scopeSpans[0]?.spans ?? []);
    expect(sent).toHaveLength(8192);
  });
});

describe("settings of traces", () => {
  it("are absent without an endpoint, or if traces are switched off", () => {
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
    expect(traceSettings({})).toBeUndefined();
    expect(traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: " " })).toBeUndefined();
    expect(traceSettings({ ...on, OTEL_SDK_DISABLED: "true" })).toBeUndefined();
    expect(traceSettings({ ...on, OTEL_TRACES_EXPORTER: "none" })).toBeUndefined();
    expect(traceSettings(on)).toMatchObject({ url: "http://127.0.0.1:4318/v1/traces", timeout: 10_000, ratio: 1 });
  });

  it("are those of OpenTelemetry", () => {
    const found = traceSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://other:4318/",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector/in",
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
      OTEL_SERVICE_NAME: "edge-agent",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=x,deployment.environment=lab",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
    });
    expect(found).toEqual({
      url: "https://collector/in",
      headers: [],
      timeout: 500,
      resource: { "service.name": "edge-agent", "deployment.environment": "lab" },
      ratio: 0.25,
    });
  });

  it.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:key@collector:4318" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318", OTEL_EXPORTER_OTLP_HEADERS: "secret" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318", OTEL_EXPORTER_OTLP_TIMEOUT: "soon" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318", OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "25" },
  ])("refuse what would mean something else: %j", (environment) => {
    expect(() => traceSettings(environment)).toThrow(expect.objectContaining({ code: "trace-settings-invalid" }));
  });

  it("treat keys as secrets", () => {
    const found = traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://c:4318", OTEL_EXPORTER_OTLP_HEADERS: "x-key=hunter2" });
    expect(JSON.stringify(found)).not.toContain("hunter2");
    expect(found?.headers[0]?.[1].reveal()).toBe("hunter2");
  });
});
