import type { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { type DeviceOptions, type LabDevice, ManualClock, type RunningDevice, type RunningLab, startLab } from "../../../src/lab/lab.js";
import { afterTest } from "../../after-test.js";
import { oneCertificate } from "../../one-certificate.js";

export const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
export const VSYS = `${DEVICE}/vsys/entry[@name='vsys1']`;
export const ADDRESS = `${VSYS}/address`;
export const RULES = `${VSYS}/rulebase/security/rules`;

/** A reply as a test looks at it. */
export interface Answer {
  readonly http: number;
  readonly contentType: string;
  readonly text: string;
  readonly status: string | undefined;
  readonly code: string | undefined;
  /** Lines of the message, trimmed. */
  readonly lines: readonly string[];
  readonly root: TreeNode;
}

export type Params = Readonly<Record<string, string>>;

/** One administrator's view of one lab firewall. */
export interface Client {
  readonly device: RunningDevice;
  readonly state: LabDevice;
  readonly key: string;
  send(params: Params): Promise<Answer>;
  config(action: string, xpath: string, more?: string | Params): Promise<Answer>;
  op(cmd: string, more?: Params): Promise<Answer>;
  commit(cmd?: string): Promise<Answer>;
}

/** A lab whose clock only moves when the test moves it. Closed after the test. */
export async function lab(...devices: DeviceOptions[]): Promise<{ readonly lab: RunningLab; readonly clock: ManualClock }> {
  const clock = new ManualClock();
  let seed = 0;
  const random = (length: number): Buffer => Buffer.alloc(length, ++seed);
  const all = devices.length === 0 ? [{}] : devices;
  const running = await startLab({
    devices: all.map((device) => ({ plainHttp: true, ...device })),
    certificate: await oneCertificate(),
    clock,
    random,
  });
  afterTest(() => running.close());
  return { lab: running, clock };
}

/** A lab of one device, and its first administrator. */
export async function admin(
  options: DeviceOptions = {},
): Promise<{ readonly lab: RunningLab; readonly clock: ManualClock; readonly client: Client }> {
  const started = await lab(options);
  return { ...started, client: await login(started.lab.device) };
}

export async function login(device: RunningDevice, user = "admin", password = user): Promise<Client> {
  const reply = await post(device, { type: "keygen", user, password });
  const key = find(reply.root, "result", "key")?.text ?? "";
  const send = (params: Params): Promise<Answer> => post(device, { key, ...params });
  return {
    device,
    state: device.state,
    key,
    send,
    config: (action, xpath, more = {}) => send({ type: "config", action, xpath, ...(typeof more === "string" ? { element: more } : more) }),
    op: (cmd, more = {}) => send({ type: "op", cmd, ...more }),
    commit: (cmd = "<commit/>") => send({ type: "commit", cmd }),
  };
}

export async function post(device: RunningDevice, params: Params, headers: Record<string, string> = {}): Promise<Answer> {
  return answer(await fetch(`${base(device)}/api/`, { method: "POST", body: new URLSearchParams(params), headers }));
}

export async function get(device: RunningDevice, params: Params, path = "/api/"): Promise<Answer> {
  return answer(await fetch(`${base(device)}${path}?${new URLSearchParams(params)}`));
}

export function base(device: RunningDevice): string {
  if (device.plainUrl === undefined) throw new Error("the lab of a test serves plain HTTP");
  return device.plainUrl;
}

/** Runs the queue of commits to its end. */
export function finishJobs(state: LabDevice, clock: ManualClock): void {
  for (let round = 0; round < 20 && state.jobs.open().length > 0; round++) {
    clock.advance(1000);
    state.jobs.advance();
  }
}

async function answer(response: Response): Promise<Answer> {
  const text = await response.text();
  const contentType = response.headers.get("content-type") ?? "";
  const root = contentType.includes("xml") ? parseXml(text) : parseXml("<none/>");
  const lines = linesOf(find(root, "msg") ?? find(root, "result", "msg"));
  return {
    http: response.status,
    contentType,
    text,
    root,
    lines,
    status: root.attributes?.get("status"),
    code: root.attributes?.get("code"),
  };
}

export function find(node: TreeNode, ...tags: string[]): TreeNode | undefined {
  let at: TreeNode | undefined = node;
  for (const tag of tags) at = at?.children.find((child) => child.tag === tag);
  return at;
}

function linesOf(node: TreeNode | undefined): string[] {
  if (node === undefined) return [];
  return node.children.length === 0 ? [node.text.trim()] : node.children.flatMap(linesOf);
}
