import { once } from "node:events";
import { request } from "node:https";
import { expect, it } from "vitest";
import { lab } from "../support.js";

const SYSTEM_INFO = "/api/?type=op&cmd=<show><system><info/></system></show>";

it.each(["drop", "drop-reply"] as const)("%s resets a connection over TLS", async (kind) => {
  const { lab: running } = await lab();
  const { device, caPem } = running;
  running.fault({ effect: { kind } });
  const call = request(`${device.url}${SYSTEM_INFO}`, { ca: caPem });
  call.end();
  const [error] = (await once(call, "response").catch((thrown: unknown) => [thrown])) as [NodeJS.ErrnoException];
  expect(error.code).toBe("ECONNRESET");
  const [entry] = device.state.journal;
  expect(entry).toMatchObject({ executed: kind === "drop-reply", reply: "none" });
});

it("does not affect the next connection", async () => {
  const { lab: running } = await lab();
  const { device, caPem } = running;
  running.fault({ effect: { kind: "drop" } });
  const dropped = request(`${device.url}${SYSTEM_INFO}`, { ca: caPem });
  dropped.end();
  await expect(once(dropped, "response")).rejects.toThrow();
  const next = request(`${device.url}${SYSTEM_INFO}`, { ca: caPem });
  next.end();
  const [response] = (await once(next, "response")) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(403);
});
