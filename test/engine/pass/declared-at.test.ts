import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { loadDesired } from "../../../src/desired/load.js";
import type { DesiredTarget } from "../../../src/desired/model.js";
import { withDeclaration } from "../../../src/engine/pass/declared-at.js";
import { kinds } from "../../../src/targets/registry.js";
import { afterTest } from "../../after-test.js";
import { openWorld } from "../../cli/world.js";

const OBJECTS = [
  "target: edge",
  "scope: vsys1",
  "config:",
  "  address:",
  "    web: { ip-netmask: 10.0.0.1 }",
  "    first server: { ip-netmask: 10.0.0.2 }",
  "  service:",
  "    web: { protocol: { tcp: { port: '80' } } }",
  "  rulebase: { security: { rules: [{ name: in, from: [any], to: [any], source: [web], destination: [any], application: [any], service: [any], action: allow }] } }",
  "",
].join("\n");
const LIST = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address";

async function desired(): Promise<DesiredTarget> {
  const folder = mkdtempSync(join(tmpdir(), "declared-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "edge"));
  writeFileSync(
    join(folder, "plumbline.yaml"),
    'format: 1\nowner: us\ndocuments: [edge]\ntargets:\n  edge: { kind: panos, url: "https://192.0.2.1", credentials: { username: a, password: "${env:PW}" } }\n',
  );
  writeFileSync(join(folder, "edge", "objects.yaml"), OBJECTS);
  const options = { environment: {}, kinds, today: "2026-01-02", resolveSecrets: false };
  return (await loadDesired(join(folder, "plumbline.yaml"), options)).targets.get("edge") as DesiredTarget;
}

describe("a refusal of the target", () => {
  it.each([
    [{ xpath: `${LIST}/entry[@name='web']/ip-netmask` }, "object-refused", "no", 5],
    [{ xpath: `${LIST}/entry[@name='web']/fqdn` }, "object-refused", "no", 5],
    [{ xpath: `${LIST}/entry[@name='gone']` }, "object-not-found", "no", undefined],
    [{ xpath: "//entry[" }, "object-refused", "no", undefined],
    [{}, "commit-failed", "The commit failed: first server -> ip-netmask '10.0.0.2' is invalid", 6],
    [{}, "validation-failed", "The target refuses the configuration: Validation Error: in -> source 'web' is not a valid reference", 9],
    [{}, "commit-failed", "The commit failed: web -> protocol -> tcp -> port is invalid", 8],
    // Two entries of that name fit alike.
    [{}, "commit-failed", "The commit failed: web -> description is too long", undefined],
    [{}, "commit-failed", "The commit failed: nothing of ours -> is wrong", undefined],
    [{}, "device-busy", "first server -> ip-netmask is busy", undefined],
  ])("is told with its file and line, where that is known: %j %s %s", async (where, code, message, line) => {
    const error = withDeclaration(
      new PlumblineError(code, message, { where: { target: "edge", ...where }, next: "n", severity: "refused" }),
      await desired(),
    );
    expect(error).toMatchObject({ code, message, next: "n", severity: "refused", where: { target: "edge", ...where } });
    expect([error.where.file, error.where.line]).toEqual(line === undefined ? [undefined, undefined] : ["edge/objects.yaml", line]);
  });

  it("keeps its position", async () => {
    const error = new PlumblineError("object-refused", "no", { where: { file: "other.yaml", xpath: `${LIST}/entry[@name='web']` } });
    expect(withDeclaration(error, await desired())).toBe(error);
  });

  it("by a real commit of a firewall leads to the line of the rule", async () => {
    const world = await openWorld();
    afterTest(() => world.close());
    await world.run("adopt edge");
    world.lab.fault({
      match: { type: "commit" },
      effect: { kind: "job-fails", lines: [" night -> ip-netmask 'x' is invalid", "Commit failed"] },
    });
    writeFileSync(
      join(world.folder, "desired-state", "edge", "night.yaml"),
      "target: edge\nscope: vsys1\nconfig:\n  address:\n    night: { ip-netmask: 10.77.0.0/24 }\n",
    );
    world.commit("night");
    const { code, out } = await world.run("reconcile");
    expect(code).toBe(1);
    expect(out).toContain("edge/night.yaml:5");
  });
});
