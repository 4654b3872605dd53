import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { document, Repository } from "../harness/repository.js";

onEachCloud("secrets in replies", (open) => {
  it("are written to the documented file, and nowhere else", async () => {
    const rig = await open();
    // The file of `saveTo` is relative to the working folder of the process.
    const repository = Repository.create(
      { ...rig, runsInProcess: false },
      { "cloud/main.yaml": document("keypairs: { deploy: { saveTo: keys/deploy.pem } }") },
    );
    const done = await repository.plumbline("reconcile", "--log-level", "debug");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    const file = join(repository.folder, "keys/deploy.pem");
    const key = readFileSync(file, "utf8");
    expect(key).toContain("PRIVATE KEY");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [, secret = ""] = key.split("\n");
    expect(secret.length).toBeGreaterThan(20);
    expect(done.out + done.err).not.toContain(secret);
    const again = await repository.plumbline("plan");
    expect(again, again.out + again.err).toMatchObject({ code: 0 });
  });
});
