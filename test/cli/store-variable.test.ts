import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/agent/store/open.js";
import type { Context } from "../../src/cli/context.js";
import { findStore } from "../../src/cli/store.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-store-variable-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const SETTING =
  'format: 1\nowner: netops\ndocuments: [edge]\nstore: "sqlite:ours.db"\ntargets: { edge: { kind: memory, file: edge.xml } }\n';

async function find(address: string | undefined) {
  const context = { folder, environment: { HOME: folder, PLUMBLINE_STATE_DIR: join(folder, "state"), PLUMBLINE_STORE: address } };
  return await findStore({} as never, context as unknown as Context);
}

describe("PLUMBLINE_STORE", () => {
  it("precedes store: of plumbline.yaml, which may be unreadable", async () => {
    writeFileSync(join(folder, "plumbline.yaml"), SETTING);
    expect(await find(undefined)).toEqual({ kind: "sqlite", file: join(folder, "ours.db") });
    expect(await find("")).toEqual({ kind: "sqlite", file: join(folder, "ours.db") });
    expect(await find("sqlite:memory/agent.db")).toEqual({ kind: "sqlite", file: join(folder, "memory/agent.db") });
    writeFileSync(join(folder, "plumbline.yaml"), "targets: [");
    expect(await find("sqlite:/var/lib/agent.db")).toEqual({ kind: "sqlite", file: "/var/lib/agent.db" });
  });

  it("is sufficient for an agent in a container", async () => {
    expect(await find(undefined)).toEqual({ kind: "sqlite", file: join(folder, "state/plumbline.db") });
    const found = await find("postgres://plumbline:s%40cret@db.example.com/plumbline?sslmode=require");
    if (found.kind !== "postgres") throw new Error("not a database");
    expect(found.url.reveal()).toBe("postgres://plumbline:s%40cret@db.example.com/plumbline?sslmode=require");
    expect(`${found.url} ${JSON.stringify(found)}`).not.toContain("cret");
  });

  it.each([
    ["mysql://db.example/x", "not an address"],
    ["s3cret", "not an address"],
    ["postgres://plumbline:s3cret@ss/w:rd@db.example/x", "percent-encoded"],
    ["postgres://plumbline:12#s3cret@db.example/x", "percent-encoded"],
    ["postgres://plumbline:12?s3cret@db.example/x", "percent-encoded"],
    ["postgres://plumbline:12/s3cret@db.example/x", "percent-encoded"],
  ])("%s is refused without being shown", async (address, words) => {
    const refusal: unknown = await find(address).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "store-location", message: expect.stringContaining("${env:PLUMBLINE_STORE}") });
    const shown = JSON.stringify(refusal, Object.getOwnPropertyNames(refusal));
    expect(shown).toContain(words);
    expect(shown).not.toContain("s3cret");
  });

  it("does not show its password if the database is unreachable", async () => {
    const away = await find("postgres://plumbline:s3cret@127.0.0.1:1/plumbline?application_name=s3cret");
    const refusal: unknown = await openStore(away, { readOnly: true }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: "store-unreachable",
      message: expect.stringContaining("postgres://127.0.0.1:1/plumbline"),
    });
    expect(String(refusal)).not.toContain("s3cret");
  });
});
