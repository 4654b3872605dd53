import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { storeLocation } from "../../../src/agent/store/location.js";
import { parseConfiguration } from "../../../src/desired/configuration/read.js";
import { readStoreSetting } from "../../../src/desired/configuration/store.js";
import { loadConfiguration } from "../../../src/desired/load.js";
import { SecretReader } from "../../../src/desired/secrets.js";
import { kinds } from "../../../src/targets/registry.js";

const folder = mkdtempSync(join(tmpdir(), "plumbline-store-setting-"));
const file = join(folder, "plumbline.yaml");
afterAll(() => rmSync(folder, { recursive: true }));

const environment = { DATABASE_PASSWORD: "p@ss/w:rd?", DATABASE_URL: "postgres://u:p@db.example/x" };

async function location(store: string | undefined) {
  const line = store === undefined ? "" : `store: ${JSON.stringify(store)}\n`;
  writeFileSync(file, `format: 1\nowner: netops\ndocuments: [edge]\n${line}targets: { edge: { kind: memory, file: edge.xml } }\n`);
  await loadConfiguration(file, { environment, kinds, resolveSecrets: false });
  const setting = await readStoreSetting(await parseConfiguration(file, kinds), new SecretReader(environment, folder));
  return storeLocation(setting, folder, "/state");
}

describe("store: of plumbline.yaml", () => {
  it("is a file in the state folder by default", async () => {
    expect(await location(undefined)).toEqual({ kind: "sqlite", file: "/state/plumbline.db" });
  });

  it("can be a file relative to plumbline.yaml", async () => {
    expect(await location("sqlite:memory/agent.db")).toEqual({ kind: "sqlite", file: join(folder, "memory/agent.db") });
    expect(await location("sqlite:/var/lib/agent.db")).toEqual({ kind: "sqlite", file: "/var/lib/agent.db" });
  });

  it("can be a database whose password contains any character, and is not shown", async () => {
    const found = await location("postgres://plumbline:${env:DATABASE_PASSWORD}@db.example/plumbline");
    if (found.kind !== "postgres") throw new Error("not a database");
    expect(decodeURIComponent(new URL(found.url.reveal()).password)).toBe(environment.DATABASE_PASSWORD);
    expect(`${found.url}`).toBe("postgres://plumbline:${env:DATABASE_PASSWORD}@db.example/plumbline");
  });

  it("can be a complete address from a reference", async () => {
    const found = await location("${env:DATABASE_URL}");
    expect(found.kind === "postgres" && found.url.reveal()).toBe(environment.DATABASE_URL);
  });

  it.each([
    ["postgres://plumbline:secret@db.example/plumbline", "plaintext-secret"],
    ["postgres://plumbline:${edge:/config}@db.example/plumbline", "unknown-reference"],
    ["mysql://db.example/x", "configuration-invalid"],
  ])("%s is refused with %s", async (store, code) => {
    await expect(location(store)).rejects.toMatchObject({ errors: [{ code }] });
  });

  it("is refused if a reference returns another kind of value", async () => {
    await expect(location("${file:plumbline.yaml}")).rejects.toMatchObject({ code: "store-location" });
  });
});
