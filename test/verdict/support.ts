import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { SecretValue } from "../../src/core/secret.js";
import { ManualClock, type RunningVerdictLab, startVerdictLab, type VerdictLabOptions } from "../../src/lab/lab.js";
import { openVerdicts, type VerdictDependencies, type VerdictService, type Verdicts } from "../../src/verdict/verdicts.js";
import { afterTest } from "../after-test.js";

export const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** `count` distinct hashes, MD5 and SHA-256 by turns. */
export const hashes = (count: number): string[] => Array.from({ length: count }, (_, i) => (i % 2 === 0 ? md5 : sha256)(`file ${i}`));

const KEY = "lab-verdict-key";
export const go = { stop: new AbortController().signal };

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-verdict-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface World {
  readonly lab: RunningVerdictLab;
  readonly clock: ManualClock;
  readonly service: VerdictService;
  readonly stateFolder: string;
  readonly slept: number[];
  readonly logged: string[];
  /** Opens the service again, like the next run. */
  open(service?: Partial<VerdictService>): Promise<Verdicts>;
  /** Queries that reached the service. */
  asked(): number;
}

/** A verdict service without TLS, and the settings to use it. Its clock only moves when the test moves it. */
export async function world(options: VerdictLabOptions = {}): Promise<World> {
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 8, 0, 0));
  const lab = await startVerdictLab({ plainHttp: true, clock, ...options });
  afterTest(() => lab.close());
  const stateFolder = temporaryFolder();
  const slept: number[] = [];
  const logged: string[] = [];
  const note = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const dependencies: VerdictDependencies = {
    now: () => clock.now(),
    clock: { now: () => clock.now(), sleep: async (milliseconds) => void slept.push(milliseconds) },
    random: () => 0.5,
    logger: { debug: note, warn: note },
    dispatcher: (origin, poolOptions) => new Pool(origin, poolOptions),
  };
  const service: VerdictService = {
    url: lab.plainUrl ?? "",
    key: new SecretValue(KEY, "«key»"),
    tls: { insecure: false },
    timeout: 5,
    allotment: 1_050,
  };
  return {
    lab,
    clock,
    service,
    stateFolder,
    slept,
    logged,
    open: async (overrides = {}) => {
      const verdicts = await openVerdicts({ ...service, ...overrides }, stateFolder, dependencies);
      afterTest(() => verdicts.close());
      return verdicts;
    },
    asked: () => lab.state.journal.length,
  };
}
