import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type ContrailLabOptions, startContrailLab } from "../../../src/lab/contrail/start.js";
import { ContrailWorld } from "../../../src/lab/contrail/world/world.js";
import { leaveOut } from "../../left-out.js";
import { comparable } from "./replay/canonical.js";
import { Identities } from "./replay/identities.js";
import { type RecordedExchange, readRecording, requestsIn } from "./replay/recording.js";
import { type Outcome, replayReport } from "./replay/report.js";
import { reasonFor, SESSIONS } from "./replay/sessions.js";

const FOLDER = resolve(import.meta.dirname, "../../../../shared/facts/contrail-wire");
const present = existsSync(FOLDER);
if (!present) leaveOut(`exchanges with the real controller: no recordings in ${FOLDER}`);

async function replay(files: readonly string[], world: ContrailWorld, options: ContrailLabOptions): Promise<Outcome[]> {
  const lab = await startContrailLab({ ...options, world, port: 0 });
  const identities = new Identities();
  const outcomes: Outcome[] = [];
  try {
    for (const exchange of files.flatMap((file) => readRecording(FOLDER, file))) {
      outcomes.push({ exchange, difference: exchange.cutOff ? undefined : await replayOne(lab.url, exchange, identities) });
    }
  } finally {
    await lab.close();
  }
  return outcomes;
}

async function replayOne(url: string, exchange: RecordedExchange, identities: Identities): Promise<string | undefined> {
  const { method, path, body } = exchange;
  const headers = { ...exchange.headers, ...etagOf(exchange, await currentEtag(url, exchange, identities)) };
  const response = await fetch(url + identities.inLab(path), {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body === undefined ? null : identities.inLab(body),
  });
  const replies = comparable(exchange.reply, await response.text(), identities);
  const [recorded, lab] = [
    { status: exchange.status, type: exchange.contentType, allow: exchange.allow, body: replies.recorded },
    {
      status: response.status,
      type: response.headers.get("content-type") ?? undefined,
      allow: response.headers.get("allow") ?? undefined,
      body: replies.lab,
    },
  ].map((each) => JSON.stringify(each));
  return recorded === lab ? undefined : `recorded ${recorded}\nlab      ${lab}`;
}

/** A recorded ETag is a time of then: the request carries the lab's own in its place. */
async function currentEtag(url: string, { path, headers }: RecordedExchange, identities: Identities): Promise<string | undefined> {
  if (headers["If-None-Match"] === undefined) return undefined;
  const response = await fetch(url + identities.inLab(path));
  await response.arrayBuffer();
  return response.headers.get("etag") ?? undefined;
}

function etagOf({ headers }: RecordedExchange, etag: string | undefined): Record<string, string> {
  return headers["If-None-Match"] === undefined || etag === undefined ? {} : { "If-None-Match": etag };
}

describe.skipIf(!present)("exchanges recorded from the real controller", () => {
  const all: Outcome[] = [];
  beforeAll(async () => {
    for (const { files, prepare, options, neutronPlugin } of SESSIONS) {
      const world = new ContrailWorld({ neutronPlugin });
      prepare?.(world);
      all.push(...(await replay(files, world, options ?? {})));
    }
  }, 60_000);

  it.each(SESSIONS.flatMap(({ files }) => files))("%s replays with equal status and equal body", (file) => {
    const outcomes = all.filter(({ exchange }) => exchange.file === file);
    expect(outcomes).toHaveLength(requestsIn(FOLDER, file));
    const unlike = outcomes.filter(({ difference }) => difference !== undefined);
    const unexplained = unlike.filter(({ exchange }) => reasonFor(exchange) === undefined);
    expect(unexplained.map(({ exchange: { line, method, path }, difference }) => `${line}: ${method} ${path}\n${difference}`)).toEqual([]);
  });

  it("lists no exchange as different that replays equally", () => {
    const alike = all.filter(({ difference, exchange }) => difference === undefined && reasonFor(exchange) !== undefined);
    expect(alike).toEqual([]);
  });

  it("would detect another status, another body and a uuid that should have changed", () => {
    const identities = new Identities();
    const [a, b, c] = ["a", "b", "c"].map((digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`);
    const same = comparable(`{"uuid": "${a}"}`, `{"uuid": "${b}"}`, identities);
    expect(same.lab).toBe(same.recorded);
    const notRekeyed = comparable(`{"uuid": "${c}"}`, `{"uuid": "${b}"}`, identities);
    expect(notRekeyed.lab).not.toBe(notRekeyed.recorded);
    const otherText = comparable("ID x does not exist", "Unknown id: x", identities);
    expect(otherText.lab).not.toBe(otherText.recorded);
  });

  it("is described in docs/contributing/contrail-replay.md (vitest run <this file> --update writes it)", async () => {
    await expect(replayReport(all)).toMatchFileSnapshot(resolve(import.meta.dirname, "../../../docs/contributing/contrail-replay.md"));
  });
});
