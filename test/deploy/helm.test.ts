import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { leaveOut } from "../left-out.js";
import { CHART, chart, defaults, type Manifest, manifestsIn, type Values } from "./chart.js";

/** `PLUMBLINE_HELM` names one that is not in `PATH`. */
const HELM = process.env.PLUMBLINE_HELM ?? "helm";
const helm = spawnSync(HELM, ["version"], { stdio: "ignore" }).status === 0;
if (!helm) leaveOut("the Helm chart rendered by helm itself: helm is not installed");

const fits = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(readFileSync(`${CHART}values.schema.json`, "utf8")) as object);

const CASES: readonly (readonly [string, Values, string])[] = [
  ["nothing set", {}, "net"],
  ["everything on", { serviceMonitor: { enabled: true, interval: "1m" }, http: { names: "a.example,b.example" } }, "net"],
  ["no policy", { networkPolicy: { enabled: false } }, "net"],
  ["no port open", { networkPolicy: { egress: [] } }, "net"],
  ["one port open", { networkPolicy: { egress: [{ port: 8443, protocol: "TCP" }] } }, "net"],
  ["a proxy that may connect", { networkPolicy: { ingressFrom: [{ namespaceSelector: { matchLabels: { a: "b" } } }] } }, "net"],
  ["another token of the page", { page: { tokenSecret: "page", tokenKey: "word" } }, "net"],
  ["no limits, no agents", { resources: {}, replicas: 0 }, "net"],
  [
    "what a cluster asks for",
    {
      imagePullSecrets: [{ name: "registry" }],
      podAnnotations: { "example.com/team": "net" },
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ key: "net", operator: "Exists", effect: "NoSchedule" }],
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      extraEnvironment: [{ name: "SSL_CERT_FILE", value: "/ca/ca.pem" }],
      extraVolumes: [{ name: "ca", configMap: { name: "ca" } }],
      extraVolumeMounts: [{ name: "ca", mountPath: "/ca", readOnly: true }],
    },
    "net",
  ],
  [
    "an ingress with TLS",
    { ingress: { enabled: true, className: "nginx", annotations: { a: "b" }, host: "net.example.com", tlsSecret: "net-tls" } },
    "net",
  ],
  ["an ingress without", { ingress: { enabled: true } }, "net"],
  ["one agent without a database", { database: { secret: "" }, replicas: 1, state: { size: "1Gi", storageClassName: "fast" } }, "net"],
  ["alerts and a dashboard", { prometheusRule: { enabled: true }, dashboard: { enabled: true } }, "net"],
  ["names that YAML would take for numbers", { database: { secret: "1e3", key: "0x1" }, environmentSecret: "true" }, "2026"],
  ["texts with quotes and marks", { source: { url: 'file:///srv/a "b": # c', branch: "on" }, image: { tag: "1.10" } }, "net"],
];

const WRONG: readonly (readonly [string, Values])[] = [
  ["a word that is misspelt", { replica: 3 }],
  ["a word that is misspelt further down", { networkPolicy: { enable: false } }],
  ["a tag that YAML took for a number", { image: { tag: 1.1 } }],
  ["half an agent", { replicas: 1.5 }],
  ["a level that the agent does not know", { logLevel: "trace" }],
  ["two agents without a database", { database: { secret: "" }, replicas: 2 }],
  ["a disk of no size", { state: { size: "5" } }],
  ["a volume without a name", { extraVolumes: [{ emptyDir: {} }] }],
  ["no repository", { source: { url: "" } }],
  ["no token of the page", { page: { tokenSecret: "" } }],
  ["an empty peer, which would admit everybody", { networkPolicy: { ingressFrom: [{}] } }],
];

describe("values.schema.json", () => {
  it("accepts values.yaml, and all tested values", () => {
    expect([fits(defaults), fits.errors]).toEqual([true, null]);
    for (const [, values] of CASES) expect([fits(values), fits.errors]).toEqual([true, null]);
  });

  it.each(WRONG)("refuses %s", (_, values) => {
    expect(fits(values)).toBe(false);
  });
});

function template(values: Values, release: string) {
  return spawnSync(HELM, ["template", release, CHART, "--values", "-"], { input: JSON.stringify(values), encoding: "utf8" });
}

describe.skipIf(!helm)("helm", () => {
  it.each(CASES)("renders the tested values: %s", (_, values, release) => {
    const { stdout, stderr, status } = template(values, release);
    expect([status, stderr]).toEqual([0, ""]);
    const byKind = (a: Manifest, b: Manifest): number => a.kind.localeCompare(b.kind);
    expect(manifestsIn(stdout).sort(byKind)).toEqual(chart(values, release).sort(byKind));
  });

  it.each(WRONG)("refuses %s", (_, values) => {
    expect(template(values, "net").stderr).toContain("values don't meet the specifications");
  });

  it("reports no problem", () => {
    const { stdout, status } = spawnSync(HELM, ["lint", "--strict", CHART], { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, expect.stringContaining("1 chart(s) linted, 0 chart(s) failed")]);
  });
});
