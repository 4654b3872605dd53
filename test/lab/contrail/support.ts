import { parseJson } from "../../../src/core/json/parse.js";
import { isObject, type Json, type JsonObject } from "../../../src/core/json/value.js";
import { writeJson } from "../../../src/core/json/write.js";
import { type ContrailLabOptions, type RunningContrailLab, startContrailLab } from "../../../src/lab/contrail/start.js";
import { afterTest } from "../../after-test.js";

/** A lab on a free port that ends with the test. */
export async function startLab(options: ContrailLabOptions = {}): Promise<RunningContrailLab> {
  const lab = await startContrailLab({ ...options, port: 0 });
  afterTest(() => lab.close());
  return lab;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The reply as JSON; null if it is not JSON. */
  readonly json: JsonObject;
}

/** Sends a request; a body goes as JSON with exact integers. */
export async function call(
  lab: RunningContrailLab,
  method: string,
  path: string,
  body?: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(lab.url + path, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    body: body === undefined ? null : writeJson(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: objectOf(text) };
}

function objectOf(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The document of a virtual network with one subnet per CIDR, as a careless client writes it: without `subnet_uuid`. */
export function networkDocument(name: string, ...cidrs: string[]): JsonObject {
  return {
    fq_name: ["default-domain", "demo", name],
    parent_type: "project",
    network_ipam_refs: [{ to: ["default-domain", "default-project", "default-network-ipam"], attr: { ipam_subnets: cidrs.map(subnetOf) } }],
  };
}

export function subnetOf(cidr: string): JsonObject {
  const [prefix = "", length = ""] = cidr.split("/");
  return { subnet: { ip_prefix: prefix, ip_prefix_len: Number(length) } };
}
