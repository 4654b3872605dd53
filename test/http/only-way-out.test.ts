import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const biome = resolve("node_modules/.bin/biome");

/** Ways by which a request could leave without `src/http`, each by its file. */
const ways: Readonly<Record<string, string>> = {
  "request.ts": 'export { request } from "undici";',
  "types.ts": 'import type { Pool } from "undici";\nexport type Connections = Pool;',
  "whole.ts": 'export * from "undici";',
  "inner.ts": 'export { request } from "undici/lib/api/api-request.js";',
  "later.ts": 'export const client = await import("undici");',
  "required.ts": 'import { createRequire } from "node:module";\nexport const client = createRequire(import.meta.url)("undici");',
  "fetch.ts": 'export const reply = fetch("https://cloud.example");',
  "global.ts": 'export const reply = globalThis.fetch("https://cloud.example");',
  "node.ts": 'import { request } from "node:https";\nexport const send = request;',
  "socket.ts": 'import { connect, isIP } from "node:net";\nexport const all = [connect, isIP];',
};

it.each(["src/targets/panos/client", "src/verdict"])("a client in %s that does not use src/http fails the lint", (folder) => {
  const root = mkdtempSync(join(tmpdir(), "plumbline-lint-"));
  try {
    for (const file of ["biome.json", ".gitignore"]) cpSync(file, join(root, file));
    mkdirSync(join(root, folder), { recursive: true });
    for (const [name, text] of Object.entries(ways)) writeFileSync(join(root, folder, name), text);
    writeFileSync(join(root, folder, "address.ts"), 'import { isIP } from "node:net";\nexport const isAddress = isIP;');
    const { stdout, status } = spawnSync(biome, ["lint", "--reporter=github", "--max-diagnostics=none"], { cwd: root, encoding: "utf8" });
    const found = [...stdout.matchAll(/title=lint\/style\/noRestricted(?:Imports|Globals),file=[^,]*?([\w-]+\.ts),/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(found)].sort()).toEqual(Object.keys(ways).sort());
    expect(status).toBe(1);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
