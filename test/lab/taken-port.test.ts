import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { startContrailLab } from "../../src/lab/contrail/start.js";
import { startVerdictLab } from "../../src/lab/verdict/start.js";

const server = createServer();
afterEach(() => new Promise((done) => server.close(done)));

it("is reported with the next step", async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  for (const start of [() => startContrailLab({ port }), () => startVerdictLab({ port })])
    await expect(start()).rejects.toMatchObject({ code: "lab-port-taken", next: expect.stringContaining("--port 0") });
});
