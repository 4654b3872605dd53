import { randomBytes } from "node:crypto";
import { Pool } from "undici";
import { SecretValue } from "../../../src/core/secret.js";
import type { OpenstackLabOptions } from "../../../src/lab/openstack/options.js";
import { type RunningOpenstackLab, startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { ManualClock } from "../../../src/lab/panos/clock.js";
import { OpenstackClient } from "../../../src/targets/openstack-client/client/client.js";
import type { OpenstackAccess, OpenstackTargetConfiguration } from "../../../src/targets/openstack-client/configuration.js";
import type { OpenstackDependencies } from "../../../src/targets/openstack-client/dependencies.js";
import { afterTest } from "../../after-test.js";

export const PASSWORD = "secret";

/** Closes it after the test. */
export function closing<T extends { close(): Promise<void> }>(each: T): T {
  afterTest(() => each.close());
  return each;
}

export function configuration(
  access: Partial<OpenstackAccess>,
  overrides: Partial<OpenstackTargetConfiguration> = {},
): OpenstackTargetConfiguration {
  return {
    kind: "openstack",
    name: "cloud",
    cloud: undefined,
    access: { endpoints: new Map(), ...access },
    tls: { insecure: false },
    folder: "/nowhere",
    references: [],
    mode: "enforce",
    rewriteLists: "never",
    approve: "none",
    timeout: 5,
    createSettle: 30,
    concurrency: 10,
    pageSize: undefined,
    ...overrides,
  };
}

/** The way in of the lab's user `demo`, with a password. */
export function demoAccess(authUrl: string): OpenstackAccess {
  return {
    authUrl,
    username: "demo",
    password: new SecretValue(PASSWORD, "${env:CLOUD_PASSWORD}"),
    projectName: "demo",
    endpoints: new Map(),
  };
}

export interface TestDependencies extends OpenstackDependencies {
  /** Everything that was logged, as one would read it. */
  readonly logged: string[];
  readonly warnings: string[];
  /** Milliseconds of each sleep. */
  readonly slept: number[];
}

/** Never waits: sleeping advances `clock`. Only the given files and variables exist. */
export function dependencies(clock = new ManualClock(), found: Partial<OpenstackDependencies> = {}): TestDependencies {
  const logged: string[] = [];
  const warnings: string[] = [];
  const slept: number[] = [];
  return {
    logged,
    warnings,
    slept,
    clock: {
      now: () => clock.now(),
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
        clock.advance(milliseconds);
      },
    },
    random: () => 0.5,
    logger: {
      debug: (fields, message) => logged.push(`${message} ${JSON.stringify(fields)}`),
      warn: (fields, message) => warnings.push(`${message} ${JSON.stringify(fields)}`),
    },
    dispatcher: (origin, options) => new Pool(origin, options),
    environment: {},
    home: "/nowhere",
    workingFolder: "/nowhere",
    ...found,
  };
}

export interface Bench {
  readonly lab: RunningOpenstackLab;
  readonly clock: ManualClock;
  readonly injected: TestDependencies;
  readonly client: OpenstackClient;
}

/** A lab on free ports and a client of it, as `demo`. Both use one clock, which only moves when the test moves it. */
export async function bench(
  options: OpenstackLabOptions = {},
  overrides: { access?: Partial<OpenstackAccess>; target?: Partial<OpenstackTargetConfiguration> } = {},
): Promise<Bench> {
  const clock = new ManualClock();
  const lab = closing(await startOpenstackLab({ ports: "free", clock, random: randomBytes, ...options }));
  const injected = dependencies(clock);
  const access = { ...demoAccess(lab.authUrl), ...overrides.access };
  const client = closing(new OpenstackClient(configuration(access, overrides.target), injected));
  return { lab, clock, injected, client };
}

/** Requests that the lab got, in words: `network GET /v2.0/networks`. */
export function requestsOf(lab: RunningOpenstackLab): string[] {
  return lab.journal.map(({ service, method, path }) => `${service} ${method} ${path}`);
}
