import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isOfFlows, isOfPath } from "../../src/desired/assertions.js";
import { loadDesired } from "../../src/desired/load.js";
import { registryOf } from "../../src/engine/target-kind.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { afterTest } from "../after-test.js";

/** The only assertion of a document, about `path`. */
async function read(path: string) {
  const folder = mkdtempSync(join(tmpdir(), "read-path-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  const targets = ["edge", "core"].map((name) => `  ${name}: { kind: panos, url: "https://192.0.2.10" }\n`).join("");
  writeFileSync(
    join(folder, "plumbline.yaml"),
    `format: 1\nowner: netops\ndocuments: [.]\nexclude: [plumbline.yaml]\ntargets:\n${targets}`,
  );
  const assertion = `{ name: up, verdict: allow, strict: true, unknowns: accept, reason: why not, path: ${path} }`;
  writeFileSync(join(folder, "a.yaml"), `target: edge\nscope: vsys1\nassert: [${assertion}]\n`);
  const kinds = registryOf([panosKind]);
  const loaded = await loadDesired(join(folder, "plumbline.yaml"), { environment: {}, kinds, today: "2026-03-01", resolveSecrets: false });
  const [found] = loaded.targets.get("edge")?.assertions ?? [];
  if (found === undefined || !isOfPath(found)) throw new Error("it is about a path");
  return found;
}

describe("path: of an assertion", () => {
  it("accepts one value or several, and omits any", async () => {
    const found = await read('{ source: ["core:a", 192.0.2.1], destination: b, service: tcp/443, application: any, from: [dmz] }');
    expect(found.path).toEqual({
      source: ["core:a", "192.0.2.1"],
      destination: ["b"],
      service: ["tcp/443"],
      application: [],
      from: ["dmz"],
      reaches: [],
      through: undefined,
    });
    expect(found).toMatchObject({ verdict: "allow", strict: true, acceptsUnknowns: "why not" });
    expect(isOfFlows(found)).toBe(false);
  });

  it("can limit the path to some targets", async () => {
    const found = await read("{ source: 2001:db8::1, destination: b, service: [icmp], through: core }");
    expect(found.path).toMatchObject({ source: ["2001:db8::1"], service: ["icmp"], through: ["core"] });
  });
});
