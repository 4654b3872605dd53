import { PrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import { expect } from "vitest";
import type { Manifest } from "./chart.js";

/** Classes with the schemas of Kubernetes. */
export const KINDS = { Deployment, NetworkPolicy, PodDisruptionBudget, Service, ServiceAccount, ServiceMonitor } as const;
const OPTIONAL = { ConfigMap, Ingress, PersistentVolumeClaim, PrometheusRule } as const;

/**

 * Validates a manifest against the schemas of Kubernetes.

 * @throws Error if it is invalid

 */
export function validate(manifest: Manifest): void {
  const Kind = { ...KINDS, ...OPTIONAL }[manifest.kind as keyof typeof KINDS | keyof typeof OPTIONAL];
  const made = new Kind(manifest as never);
  expect({ apiVersion: made.apiVersion, kind: made.kind }).toEqual({ apiVersion: manifest.apiVersion, kind: manifest.kind });
  made.validate();
}
