import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Deployment } from "kubernetes-models/apps/v1/Deployment";
import type { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { leaveOut } from "../left-out.js";
import { CHART, chart, type Manifest, manifestsIn, type Values } from "./chart.js";
import { render } from "./render.js";
import { KINDS, validate } from "./validate.js";

const DEPLOY = fileURLToPath(new URL("../../deploy/", import.meta.url));

function base(): Manifest[] {
  const { resources } = parse(readFileSync(`${DEPLOY}kubernetes/kustomization.yaml`, "utf8")) as { resources: string[] };
  expect(readdirSync(`${DEPLOY}kubernetes`).sort()).toEqual([...resources, "kustomization.yaml"].sort());
  return resources.map((file) => parse(readFileSync(`${DEPLOY}kubernetes/${file}`, "utf8")) as Manifest);
}

describe.each([
  ["the kustomize base", base],
  ["the Helm chart", () => chart({ serviceMonitor: { enabled: true } })],
])("%s", (_, manifests) => {
  it("is valid according to the schemas of Kubernetes", () => {
    const all = manifests();
    expect(all.map(({ kind }) => kind).sort()).toEqual(Object.keys(KINDS).sort());
    for (const manifest of all) validate(manifest);
  });

  it("runs agents without privileges, on a read-only root, with the database from a Secret", () => {
    const deployment = manifests().find(({ kind }) => kind === "Deployment") as unknown as Deployment;
    const pod = deployment.spec?.template.spec;
    const [container] = pod?.containers ?? [];
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(pod?.automountServiceAccountToken).toBe(false);
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container?.env?.find(({ name }) => name === "PLUMBLINE_STORE")?.valueFrom?.secretKeyRef).toBeDefined();
    expect(container?.livenessProbe?.httpGet?.path).toBe("/healthz");
    expect(container?.readinessProbe?.httpGet?.path).toBe("/readyz");
    expect(deployment.spec?.replicas).toBe(2);
    const labels = deployment.spec?.template.metadata?.labels ?? {};
    for (const { kind, spec } of manifests()) {
      const selector = kind === "Service" ? { matchLabels: spec?.selector } : kind === "NetworkPolicy" ? spec?.podSelector : spec?.selector;
      if (["NetworkPolicy", "PodDisruptionBudget", "Service"].includes(kind))
        expect({ matchLabels: labels }).toMatchObject(selector as object);
    }
  });
});

describe.each([
  ["the kustomize base", base],
  ["the Helm chart", () => chart()],
])("%s is closed by default", (_, manifests) => {
  it("accepts no connection of another pod", () => {
    const policy = manifests().find(({ kind }) => kind === "NetworkPolicy");
    expect(policy?.spec?.policyTypes).toContain("Ingress");
    expect(policy?.spec?.ingress).toEqual([]);
  });

  it("does not start without a token for the page", () => {
    const deployment = manifests().find(({ kind }) => kind === "Deployment") as unknown as Deployment;
    const variables = deployment.spec?.template.spec?.containers[0]?.env ?? [];
    const source = variables.find(({ name }) => name === "PLUMBLINE_PAGE_TOKEN")?.valueFrom?.secretKeyRef;
    expect(source).toEqual({ name: "plumbline", key: "PLUMBLINE_PAGE_TOKEN" });
  });
});

it("the chart accepts only the named pods", () => {
  const from = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }];
  const policy = chart({ networkPolicy: { ingressFrom: from } }).find(({ kind }) => kind === "NetworkPolicy");
  expect(policy?.spec?.ingress).toEqual([{ from, ports: [{ port: "http", protocol: "TCP" }] }]);
  if (policy !== undefined) validate(policy);
});

describe("the Helm chart with all options", () => {
  const all = (more: Values = {}) =>
    chart({
      ingress: { enabled: true, className: "nginx", annotations: { a: "b" }, tlsSecret: "tls" },
      serviceMonitor: { enabled: true },
      prometheusRule: { enabled: true },
      dashboard: { enabled: true },
      imagePullSecrets: [{ name: "registry" }],
      podAnnotations: { a: "b" },
      nodeSelector: { a: "b" },
      tolerations: [{ key: "net", operator: "Exists" }],
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [] }] } } },
      extraEnvironment: [{ name: "A", value: "b" }],
      extraVolumes: [{ name: "ca", configMap: { name: "ca" } }],
      extraVolumeMounts: [{ name: "ca", mountPath: "/ca" }],
      ...more,
    });
  const pods = (manifests: readonly Manifest[]) =>
    manifests.find(({ kind }) => kind === "Deployment") as unknown as { spec: Required<Deployment>["spec"] };

  it("is valid according to the schemas of Kubernetes, with and without a database", () => {
    for (const manifests of [all(), all({ database: { secret: "" }, replicas: 1 })]) for (const manifest of manifests) validate(manifest);
    expect(all().map(({ kind }) => kind)).not.toContain("PersistentVolumeClaim");
  });

  it("contains the alerts and the dashboard unchanged", () => {
    const [rule, dashboard] = ["PrometheusRule", "ConfigMap"].map((kind) => all().find((each) => each.kind === kind));
    expect(rule?.spec).toEqual(parse(readFileSync(`${CHART}alerts.yaml`, "utf8")));
    const { data } = dashboard as unknown as { data: Record<string, string> };
    expect(JSON.parse(data["plumbline.json"] ?? "")).toEqual(JSON.parse(readFileSync(`${CHART}dashboard.json`, "utf8")));
  });

  it("keeps the history of one agent without a database on a persistent disk, and never runs two on it", () => {
    const manifests = chart({ database: { secret: "" }, replicas: 1 });
    const { spec } = pods(manifests);
    expect(spec.strategy).toEqual({ type: "Recreate" });
    expect(spec.template.spec?.containers[0]?.env?.map(({ name }) => name)).not.toContain("PLUMBLINE_STORE");
    const claim = manifests.find(({ kind }) => kind === "PersistentVolumeClaim")?.metadata.name;
    expect(spec.template.spec?.volumes).toContainEqual({ name: "state", persistentVolumeClaim: { claimName: claim } });
  });
});

const kubectl = spawnSync("kubectl", ["version", "--client"], { stdio: "ignore" }).status === 0;
if (!kubectl) leaveOut("the kustomize base built by kustomize itself: kubectl is not installed");
it.skipIf(!kubectl)("kustomize builds it completely, with selectors that still match the pods", () => {
  const built = manifestsIn(execFileSync("kubectl", ["kustomize", `${DEPLOY}kubernetes`], { encoding: "utf8" }));
  expect(built.map(({ kind }) => kind).sort()).toEqual(
    base()
      .map(({ kind }) => kind)
      .sort(),
  );
  for (const manifest of built) validate(manifest);
  const deployment = built.find(({ kind }) => kind === "Deployment") as unknown as Deployment;
  expect(deployment.spec?.template.metadata?.labels).toMatchObject(deployment.spec?.selector.matchLabels ?? { none: "" });
});

it("reports invalid combinations", () => {
  expect(() => validate({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" }, spec: { replicas: "two" } })).toThrow(
    "replicas",
  );
  expect(() => render('a: {{ include "x" . }}', {}, "net", () => "")).toThrow("not understood");
});

it("the chart omits disabled parts", () => {
  const kinds = chart({ networkPolicy: { enabled: false } }).map(({ kind }) => kind);
  expect(kinds).not.toContain("NetworkPolicy");
  expect(kinds).not.toContain("ServiceMonitor");
});

it("the chart and the base open the same ports", () => {
  const ports = (manifests: readonly Manifest[]): unknown[] => {
    const policy = manifests.find(({ kind }) => kind === "NetworkPolicy") as unknown as NetworkPolicy;
    return (policy.spec?.egress ?? []).flatMap((rule) => rule.ports ?? []);
  };
  expect(ports(chart())).toEqual(ports(base()));
});

it("an empty list of ports opens none, not all", () => {
  const policy = chart({ networkPolicy: { egress: [] } }).find(({ kind }) => kind === "NetworkPolicy") as unknown as NetworkPolicy;
  const rules = policy.spec?.egress ?? [];
  expect(rules.map(({ ports }) => ports?.length)).toEqual([2]);
  expect(rules[0]?.ports?.map(({ port }) => port)).toEqual([53, 53]);
});

it("a release may have any name that is a valid Kubernetes label", () => {
  for (const manifest of chart({ serviceMonitor: { enabled: true } }, "2026")) {
    validate(manifest);
    expect(manifest.metadata.name).toBe("2026");
  }
});
