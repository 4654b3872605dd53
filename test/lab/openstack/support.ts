import { randomBytes } from "node:crypto";
import type { OpenstackLabOptions, Service } from "../../../src/lab/openstack/options.js";
import { type RunningOpenstackLab, startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { ManualClock } from "../../../src/lab/panos/clock.js";
import { afterTest } from "../../after-test.js";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of many shapes.
  readonly json: any;
}

export type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** One user's calls of each service, with that user's token. */
export interface Person {
  readonly token: string;
  readonly projectId: string;
  readonly identity: Call;
  readonly network: Call;
  readonly compute: Call;
  readonly image: Call;
  readonly volume: Call;
}

/** A lab on free ports whose clock only moves when the test moves it. Closed after the test. */
export async function lab(options: OpenstackLabOptions = {}): Promise<{ readonly lab: RunningOpenstackLab; readonly clock: ManualClock }> {
  const clock = new ManualClock();
  const running = await startOpenstackLab({ ports: "free", clock, random: randomBytes, ...options });
  afterTest(() => running.close());
  return { lab: running, clock };
}

export async function call(
  lab: RunningOpenstackLab,
  service: Service,
  ...[method, path, body, headers = {}]: Parameters<Call>
): Promise<Answer> {
  const response = await fetch(`${lab.urls[service]}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true && text !== "";
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

export const DOMAIN = { id: "default" };

export function passwordAuth(name: string, scope?: object, password = "secret"): object {
  const identity = { methods: ["password"], password: { user: { name, domain: DOMAIN, password } } };
  return { auth: { identity, ...(scope === undefined ? {} : { scope }) } };
}

export function projectScope(name: string): object {
  return { project: { name, domain: DOMAIN } };
}

/** Logs in to a project; `undefined` requests a token without scope. */
export async function login(lab: RunningOpenstackLab, user = "demo", scope: object | undefined = projectScope(user)): Promise<Person> {
  const { headers, json } = await call(lab, "identity", "POST", "/v3/auth/tokens", passwordAuth(user, scope));
  return person(lab, headers.get("x-subject-token") ?? "", json.token?.project?.id ?? "");
}

export function person(lab: RunningOpenstackLab, token: string, projectId = ""): Person {
  const on =
    (service: Service, prefix: string): Call =>
    (method, path, body, headers = {}) =>
      call(lab, service, method, `${prefix}${path}`, body, { "x-auth-token": token, ...headers });
  return {
    token,
    projectId,
    identity: on("identity", ""),
    network: on("network", "/v2.0"),
    compute: on("compute", ""),
    image: on("image", ""),
    volume: on("volume", `/v3/${projectId}`),
  };
}

export async function unscoped(lab: RunningOpenstackLab, user = "demo"): Promise<Person> {
  const { headers } = await call(lab, "identity", "POST", "/v3/auth/tokens", passwordAuth(user));
  return person(lab, headers.get("x-subject-token") ?? "");
}
