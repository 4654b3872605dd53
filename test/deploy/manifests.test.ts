import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { leaveOut } from "../left-out.js";
import { render } from "./render.js";

const DEPLOY = fileURLToPath(new URL("../../deploy/", import.meta.url));
const CHART = `${DEPLOY}helm/plumbline/`;

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Each made of Kubernetes' own schemas. */
const KINDS = { Deployment, NetworkPolicy, PodDisruptionBudget, Service, ServiceAccount, ServiceMonitor } as const;

function validate(manifest: Manifest): void {
  const Kind = KINDS[manifest.kind as keyof typeof KINDS];
  const made = new Kind(manifest as never);
  expect({ apiVersion: made.apiVersion, kind: made.kind }).toEqual({ apiVersion: manifest.apiVersion, kind: manifest.kind });
  made.validate();
}

function base(): Manifest[] {
  const { resources } = parse(readFileSync(`${DEPLOY}kubernetes/kustomization.yaml`, "utf8")) as { resources: string[] };
  expect(readdirSync(`${DEPLOY}kubernetes`).sort()).toEqual([...resources, "kustomization.yaml"].sort());
  return resources.map((file) => parse(readFileSync(`${DEPLOY}kubernetes/${file}`, "utf8")) as Manifest);
}

function chart(change: (values: Record<string, Record<string, unknown>>) => void = () => undefined): Manifest[] {
  const values = parse(readFileSync(`${CHART}values.yaml`, "utf8")) as Record<string, Record<string, unknown>>;
  change(values);
  const templates = readdirSync(`${CHART}templates`).map((file) => render(readFileSync(`${CHART}templates/${file}`, "utf8"), values));
  return templates
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest | null))
    .filter((each) => each !== null);
}

const everything = (values: Record<string, Record<string, unknown>>): void => {
  if (values.serviceMonitor !== undefined) values.serviceMonitor.enabled = true;
};

describe.each([
  ["the kustomize base", base],
  ["the Helm chart", () => chart(everything)],
])("%s", (_, manifests) => {
  it("is what Kubernetes' schemas allow", () => {
    const all = manifests();
    expect(all.map(({ kind }) => kind).sort()).toEqual(Object.keys(KINDS).sort());
    for (const manifest of all) validate(manifest);
  });

  it("runs agents without rights, on a root that cannot be written, with the database from a Secret", () => {
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

it("says what does not fit", () => {
  expect(() => validate({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" }, spec: { replicas: "two" } })).toThrow(
    "replicas",
  );
  expect(() => render('a: {{ include "x" . }}', {})).toThrow("not understood");
});

it("the chart leaves out what is not wanted", () => {
  const kinds = chart((values) => {
    if (values.networkPolicy !== undefined) values.networkPolicy.enabled = false;
  }).map(({ kind }) => kind);
  expect(kinds).not.toContain("NetworkPolicy");
  expect(kinds).not.toContain("ServiceMonitor");
});

const helm = hasHelm();
if (!helm) leaveOut("the Helm chart rendered by helm itself: helm is not installed");
it.skipIf(!helm)("is read by helm as it is here", () => {
  const text = execFileSync("helm", ["template", "net", CHART], { encoding: "utf8" });
  const rendered = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  const byKind = (a: Manifest, b: Manifest): number => a.kind.localeCompare(b.kind);
  expect(rendered.sort(byKind)).toEqual(chart().sort(byKind));
});

function hasHelm(): boolean {
  try {
    execFileSync("helm", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
