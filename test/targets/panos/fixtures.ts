import { Pool } from "undici";
import { PlumblineError } from "../../../src/core/errors.js";
import { SecretValue } from "../../../src/core/secret.js";
import type { PanosDependencies } from "../../../src/targets/panos/dependencies.js";
import { KnownDevices } from "../../../src/targets/panos/known-devices.js";
import type { PanosTargetConfiguration } from "../../../src/targets/panos/settings.js";

export const PASSWORD = "p&ss@word=1";

export function configuration(url: string, overrides: Partial<PanosTargetConfiguration> = {}): PanosTargetConfiguration {
  return {
    kind: "panos",
    name: "edge",
    url,
    peers: [],
    identity: {},
    credentials: { username: "netops", password: new SecretValue(PASSWORD, "${env:FW_PASSWORD}") },
    tls: { insecure: false },
    mode: "enforce",
    http: "auto",
    keyIn: "parameter",
    foreignChanges: "refuse",
    blindCommit: false,
    firewalls: "tell",
    rewriteLists: "never",
    takeoverAfter: 900,
    validate: "before-commit",
    maxRequestBytes: undefined,
    maxBatchOperations: undefined,
    maxPendingChanges: undefined,
    approve: "none",
    reading: {},
    timeout: 5,
    ...overrides,
  };
}

export interface TestDependencies extends PanosDependencies {
  /** Everything that was logged, as one would read it. */
  readonly logged: string[];
  readonly warnings: string[];
  /** Milliseconds of each sleep. */
  readonly slept: number[];
}

/** A clock that never waits: sleeping moves it on. */
export function dependencies(): TestDependencies {
  const logged: string[] = [];
  const warnings: string[] = [];
  const slept: number[] = [];
  let now = 1_000;
  return {
    logged,
    warnings,
    slept,
    keys: new Map(),
    devices: new KnownDevices(),
    clock: {
      now: () => now,
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
        now += milliseconds;
      },
    },
    random: () => 0.5,
    logger: {
      debug: (fields, message) => void logged.push(`${message} ${JSON.stringify(fields)}`),
      warn: (fields, message) => {
        logged.push(`${message} ${JSON.stringify(fields)}`);
        warnings.push(message);
      },
    },
    dispatcher: (origin, options) => new Pool(origin, options),
  };
}

/** The error that a promise rejects with. Fails the test if there is none or if it is another type. */
export async function failure(promise: Promise<unknown>): Promise<PlumblineError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof PlumblineError) return outcome;
  throw outcome ?? new Error("nothing was thrown");
}

/** Replies of real devices (docs/contributing/devices/panos.md). */
export const KEY = "LUFRPT1Zm9vYmFy==";
export const keyReply = `<response status = 'success'><result><key>${KEY}</key></result></response>`;
export const invalidCredential = {
  http: 403,
  body: "<response status = 'error' code = '403'><result><msg>Invalid Credential</msg></result></response>",
};
export const done = `<response status="success" code="20"><msg>command succeeded</msg></response>`;
export const empty = `<response status="success" code="7"><result/></response>`;
export const noSuchNode = `<response status="error"><msg><line>No such node</line></msg></response>`;
export const unknownCommand = `<response status="error" code="17"><msg><line>invalid client cli</line></msg></response>`;

export function result(inner: string): string {
  return `<response status="success"><result>${inner}</result></response>`;
}

export function found(inner: string): string {
  return `<response status="success" code="19"><result total-count="1" count="1">${inner}</result></response>`;
}

export const enqueued = (job: number): string =>
  `<response status="success" code="19"><result><msg><line>Commit job enqueued with jobid ${job}</line></msg><job>${job}</job></result></response>`;

export function systemInfo(fields: Readonly<Record<string, string>> = {}): string {
  const all = { hostname: "edge", model: "PA-VM", serial: "0123456789", "sw-version": "11.1.2", "multi-vsys": "off", ...fields };
  return result(
    `<system>${Object.entries(all)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join("")}</system>`,
  );
}

export const haState = (state: string): string =>
  result(`<enabled>yes</enabled><group><mode>Active-Passive</mode><local-info><state>${state}</state></local-info></group>`);
