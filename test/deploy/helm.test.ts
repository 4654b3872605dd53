import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import type { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { describe, expect, it } from "vitest";
import { readAgent } from "../../src/desired/configuration/agent.js";
import { readHostNames } from "../../src/desired/configuration/host-name.js";
import { parseConfiguration } from "../../src/desired/configuration/read.js";
import { kinds } from "../../src/targets/registry.js";
import { leaveOut } from "../left-out.js";
import { CHART, chart, defaults, type Manifest, manifestsIn, over, type Values } from "./chart.js";
import { validate } from "./validate.js";

/** `PLUMBLINE_HELM` names a helm that is not in `PATH`. */
const HELM = process.env.PLUMBLINE_HELM ?? "helm";
const helm = spawnSync(HELM, ["version"], { stdio: "ignore" }).status === 0;
if (!helm) leaveOut("the Helm chart rendered by helm itself: helm is not installed");

const fits = new Ajv({ allowUnionTypes: true, strictTypes: false }).compile(
  JSON.parse(readFileSync(`${CHART}values.schema.json`, "utf8")) as object,
);

/** The setup that docs/page.md and docs/agent.md describe. */
const SECURE: Values = {
  replicas: 2,
  page: { tokenSecret: "" },
  settings: {
    source: { signatures: { require: "ssh", allowedSigners: "allowed-signers" } },
    page: {
      address: "https://net.example.com",
      sessionKey: "${env:PLUMBLINE_SESSION_KEY}",
      oidc: { issuer: "https://login.example.com/realms/net", clientId: "plumbline", clientSecret: "${env:OIDC_SECRET}" },
      tokens: [{ name: "prometheus", token: "${env:PROMETHEUS_TOKEN}" }],
      rights: [
        { groups: ["netops"], roles: ["plan", "pause", "reconcile"] },
        { tokens: ["prometheus"], roles: ["read"] },
        { signedIn: true, roles: ["read"] },
      ],
    },
    http: { trustProxy: ["10.4.0.0/16"] },
  },
  ingress: { enabled: true, className: "nginx", host: "net.example.com", tlsSecret: "net-tls" },
  serviceMonitor: { enabled: true, authorization: { type: "Bearer", credentials: { name: "plumbline", key: "PROMETHEUS_TOKEN" } } },
  networkPolicy: { ingressFrom: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }] },
};

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
  ["the secure setup with OIDC, rights, signatures and two agents", SECURE, "net"],
  [
    "one agent with named tokens",
    { replicas: 1, page: { tokenSecret: "" }, settings: { page: { tokens: [{ name: "a", token: "${env:A}" }] } } },
    "net",
  ],
  ["another name", { nameOverride: "firewalls", serviceMonitor: { enabled: true } }, "net"],
  ["an image by its digest", { image: { digest: `sha256:${"a".repeat(64)}` } }, "net"],
  ["a tag of the repository", { source: { tag: "production" } }, "net"],
  ["a load balancer and further arguments", { service: { type: "LoadBalancer" }, extraArgs: ["--drift-interval", "30m"] }, "net"],
  [
    "mail and traces",
    {
      networkPolicy: {
        extraEgress: [
          { port: 587, protocol: "TCP" },
          { port: 4318, protocol: "TCP" },
        ],
      },
    },
    "net",
  ],
  [
    "labels, a priority and a container that runs first",
    {
      podLabels: { "example.com/team": "net" },
      priorityClassName: "important",
      serviceAccount: { annotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/net" } },
      initContainers: [{ name: "keys", image: "busybox:1", command: ["true"] }],
    },
    "net",
  ],
  ["runbooks elsewhere", { prometheusRule: { enabled: true, runbooks: "https://wiki.example.com/plumbline" } }, "net"],
  ["names that YAML would take for numbers", { database: { secret: "1e3", key: "0x1" }, environmentSecret: "true" }, "2026"],
  ["texts with quotes and marks", { source: { url: 'file:///srv/a "b": # c', branch: "on" }, image: { tag: "1.10" } }, "net"],
];

const PAGE = { address: "https://net.example.com", tokens: [{ name: "prometheus", token: "${env:PROMETHEUS_TOKEN}" }] };

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
  ["two agents with named tokens and no common session key", { settings: { page: PAGE } }],
  [
    "no shared token, and no other way to sign in",
    { page: { tokenSecret: "" }, settings: { page: { address: "https://net.example.com" } } },
  ],
  ["a digest that is none", { image: { digest: "0.1.0" } }],
  ["a service type that does not exist", { service: { type: "Ingress" } }],
  ["a metrics authorization without a key", { serviceMonitor: { authorization: { credentials: { name: "a" } } } }],
  ["a runbook address that is none", { prometheusRule: { runbooks: "docs" } }],
  ["an empty peer, which would admit everybody", { networkPolicy: { ingressFrom: [{}] } }],
];

describe("values.schema.json", () => {
  it("accepts values.yaml, and all tested values", () => {
    expect([fits(defaults), fits.errors]).toEqual([true, null]);
    for (const [name, values] of CASES) expect([name, fits(over(defaults, values)), fits.errors]).toEqual([name, true, null]);
  });

  it.each(WRONG)("refuses %s", (_, values) => {
    expect(fits(over(defaults, values))).toBe(false);
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

describe("the chart with every tested set of values", () => {
  it.each(CASES)("is valid for Kubernetes: %s", (_, values, release) => {
    for (const manifest of chart(values, release)) validate(manifest);
  });

  it("gives the agent settings that it accepts, and the names of page and ingress", async () => {
    const manifests = chart(SECURE);
    const settings = manifests.find(({ kind }) => kind === "ConfigMap") as unknown as { data: Record<string, string> };
    const folder = mkdtempSync(join(tmpdir(), "chart-"));
    writeFileSync(join(folder, "plumbline.yaml"), settings.data["plumbline.yaml"] ?? "");
    const { text } = await parseConfiguration(join(folder, "plumbline.yaml"), kinds);
    const { page, http, source } = readAgent(text.agent ?? {}, folder);
    rmSync(folder, { recursive: true });
    expect(page.oidc?.issuer).toBe("https://login.example.com/realms/net");
    expect(page.rights).toHaveLength(3);
    expect(page.sessionKey).toBe("${env:PLUMBLINE_SESSION_KEY}");
    expect(http.trustProxy).toEqual(["10.4.0.0/16"]);
    expect(source.signatures).toMatchObject({ require: "ssh" });
    const { env = [], args = [] } = container(manifests);
    expect(args.join(" ")).toContain("--config /etc/plumbline/plumbline.yaml");
    expect(env.map(({ name }) => name)).not.toContain("PLUMBLINE_PAGE_TOKEN");
    const names = env.find(({ name }) => name === "PLUMBLINE_HTTP_NAMES")?.value;
    expect(readHostNames("PLUMBLINE_HTTP_NAMES", names)).toEqual(["net.example.com"]);
  });

  it("restarts the pods when the settings change", () => {
    const checksum = (values: Values) => {
      const deployment = chart(values).find(({ kind }) => kind === "Deployment") as unknown as Deployment;
      return deployment.spec?.template.metadata?.annotations?.["checksum/settings"];
    };
    expect(checksum(SECURE)).toMatch(/^[0-9a-f]{64}$/);
    expect(checksum(SECURE)).toBe(checksum(SECURE));
    expect(checksum({ ...SECURE, settings: { page: PAGE } })).not.toBe(checksum(SECURE));
  });

  it("takes the image by its digest, follows a tag, and passes further arguments", () => {
    const digest = `sha256:${"a".repeat(64)}`;
    const { image, args } = container(chart({ image: { digest }, source: { tag: "production" }, extraArgs: ["--drift-interval", "30m"] }));
    expect(image).toBe(`plumbline@${digest}`);
    expect(args?.slice(-4)).toEqual(["--tag", "production", "--drift-interval", "30m"]);
    expect(args).not.toContain("--branch");
  });

  it("passes the values of the cluster to the manifests", () => {
    const spec = (values: Values) => (one(chart(values), "Deployment") as unknown as Deployment).spec?.template;
    const labelled = spec({
      podLabels: { team: "net" },
      podAnnotations: { note: "x" },
      priorityClassName: "important",
      initContainers: [{ name: "keys", image: "busybox:1" }],
    });
    expect(labelled?.metadata).toMatchObject({ labels: { team: "net" }, annotations: { note: "x" } });
    expect(labelled?.spec).toMatchObject({ priorityClassName: "important", initContainers: [{ name: "keys", image: "busybox:1" }] });
    const role = { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/net" };
    expect(one(chart({ serviceAccount: { annotations: role } }), "ServiceAccount").metadata).toMatchObject({ annotations: role });
    expect(one(chart({ service: { type: "LoadBalancer" } }), "Service").spec).toMatchObject({ type: "LoadBalancer" });
    const named = chart({ nameOverride: "firewalls", serviceMonitor: { enabled: true }, ingress: { enabled: true } });
    expect(new Set(named.map(({ metadata }) => metadata.name))).toEqual(new Set(["firewalls"]));
    expect(JSON.stringify(named)).not.toContain('"net"');
    const policy = JSON.stringify(one(chart({ networkPolicy: { extraEgress: [{ port: 587, protocol: "TCP" }] } }), "NetworkPolicy").spec);
    for (const port of [587, 5432]) expect(policy).toContain(`"port":${port},"protocol":"TCP"`);
  });

  it("gives Prometheus the token that the metrics need once rights are set", () => {
    const { authorization } = SECURE.serviceMonitor as { authorization: object };
    expect(one(chart(SECURE), "ServiceMonitor").spec).toMatchObject({ endpoints: [{ path: "/metrics", authorization }] });
  });

  it("links alerts to the runbooks of the team", () => {
    const rule = chart({ prometheusRule: { enabled: true, runbooks: "https://wiki.example.com/p" } }).find(
      ({ kind }) => kind === "PrometheusRule",
    );
    expect(JSON.stringify(rule)).toContain("https://wiki.example.com/p/on-call.md#plumblinedown");
    expect(JSON.stringify(rule)).not.toContain("plumbline.example.com");
  });
});

function one(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
}

function container(manifests: readonly Manifest[]) {
  const deployment = one(manifests, "Deployment") as unknown as Deployment;
  const [first] = deployment.spec?.template.spec?.containers ?? [];
  if (first === undefined) throw new Error("no container");
  return first;
}
