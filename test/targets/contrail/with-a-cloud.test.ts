import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writersFor } from "../../../src/cli/open-targets.js";
import { thisMachine } from "../../../src/engine/pass/machine.js";
import { reconcileTargets } from "../../../src/engine/reconcile.js";
import { type RunningContrailLab, startContrailLab } from "../../../src/lab/contrail/start.js";
import { type RunningOpenstackLab, startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { kinds } from "../../../src/targets/registry.js";
import { passOptions } from "../../pass-options.js";

let cloud: RunningOpenstackLab;
let controller: RunningContrailLab;
let folder: string;

beforeEach(async () => {
  cloud = await startOpenstackLab({ ports: "free" });
  controller = await startContrailLab({
    port: 0,
    aaaMode: "cloud-admin",
    checkToken: (id) => {
      const token = cloud.world.identity.token(id);
      return token === undefined ? undefined : { user: token.user.name, roles: token.roles };
    },
  });
  controller.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  folder = mkdtempSync(join(tmpdir(), "plumbline-fabric-"));
  mkdirSync(join(folder, "fabric"));
});
afterEach(async () => {
  await Promise.all([cloud.close(), controller.close()]);
  rmSync(folder, { recursive: true });
});

async function reconcile(user: string, isExternal: boolean): Promise<TargetOutcome | undefined> {
  const access = `credentials: { username: ${user}, password: "\${env:PW}", userDomain: Default }, project: { name: ${user}, domain: Default }`;
  writeFileSync(
    join(folder, "plumbline.yaml"),
    `format: 1
owner: netops
documents: [fabric]
targets:
  cloud: { kind: openstack, url: "${cloud.authUrl}", ${access} }
  fabric: { kind: contrail, url: "${controller.url}", auth: { from: cloud }, mode: enforce }
`,
  );
  const networks = `virtual-networks: { "default-domain:demo:blue": { router_external: ${isExternal} } }`;
  writeFileSync(join(folder, "fabric/fabric.yaml"), `target: fabric\nscope: controller\nconfig:\n  ${networks}\n`);
  const [outcome] = await reconcileTargets(
    passOptions({
      configurationFile: join(folder, "plumbline.yaml"),
      stateFolder: join(folder, "state"),
      ledger: join(folder, "ledger.json"),
      kinds,
      environment: { PW: "secret" },
      machine: thisMachine,
      targets: ["fabric"],
    }),
    { takeover: false, lockTimeout: 0, sleep: async () => undefined },
    writersFor({ debug: () => undefined, warn: () => undefined }),
  );
  return outcome;
}

describe("a controller with the tokens of a cloud", () => {
  it("uses the cloud's tokens, and a new one when the first is revoked during a run", async () => {
    const first = await reconcile("admin", false);
    expect(first?.error).toBeUndefined();
    controller.fault({
      match: { method: "PUT" },
      effect: { kind: "call", when: "before", run: () => cloud.world.identity.revokeAll() },
    });
    const second = await reconcile("admin", true);
    expect(second?.error).toBeUndefined();
    expect(exitCode(second === undefined ? [] : [second])).toBe(0);
    expect(controller.world.store.named("virtual-network", ["default-domain", "demo", "blue"])?.properties.router_external).toBe(true);
    expect(controller.journal.filter(({ status }) => status === 401).length).toBe(1);
    expect(controller.journal.at(-1)?.user).toBe("admin");
  });

  it("reports missing permissions of the account", async () => {
    const outcome = await reconcile("demo", false);
    expect(outcome?.error).toMatchObject({ code: "controller-permission", message: expect.stringContaining("403 Permission Denied") });
    expect(controller.journal.some(({ method, url }) => method === "POST" && url !== "/fqname-to-id")).toBe(false);
  });
});
