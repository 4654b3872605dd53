import { type ClientRequest, get } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type PackedRow, unpackRow } from "../../../src/agent/page/fleet-row.js";
import { PageWorld } from "./world.js";

let world: PageWorld;
beforeEach(async () => {
  world = await PageWorld.start();
  // Runs before the page listens.
  await (await fetch(`${world.url}api/fleet`)).json();
});
afterEach(async () => await world.close());

/** Reads server-sent events until one of that name comes; gives it with the bytes read since the opening line. */
function nextEvent(name: string, begun: () => Promise<void>): Promise<{ data: unknown; bytes: number }> {
  return new Promise((resolve, reject) => {
    let text = "";
    const request = get(`${world.url}api/events`, (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const isOpening = text === "";
        text += chunk;
        if (isOpening) begun().catch(reject);
        const found = new RegExp(`event: ${name}\ndata: (.*)\n\n`).exec(text);
        if (found === null) return;
        request.destroy();
        resolve({ data: JSON.parse(found[1] ?? ""), bytes: text.length });
      });
    });
    request.on("error", (error: NodeJS.ErrnoException) => error.code !== "ECONNRESET" && reject(error));
  });
}

it("sends one target in a few hundred bytes", async () => {
  await world.web.listen({ type: "store-recovered", time: 0 });
  const { data, bytes } = await nextEvent("rows", () => world.endPass("ams-dc-a", "failed"));
  const [row] = (data as PackedRow[]).map(unpackRow);
  expect(data).toHaveLength(1);
  expect(row).toMatchObject({ name: "ams-dc-a", state: "failed", since: world.now / 1000 });
  expect(bytes).toBeLessThan(300);
});

it("sends a pause", async () => {
  const pause = { target: "ams-dc-b", reason: "work", by: "ann", since: world.now, until: undefined };
  const { data } = await nextEvent("meta", async () => {
    await world.store.pauses.pause(pause);
    await world.events.emit({ type: "paused", pause });
  });
  expect(data).toMatchObject({ pauses: expect.arrayContaining([expect.objectContaining({ target: "ams-dc-b", reason: "work" })]) });
});

it("leaves capacity for others when one client uses its share", async () => {
  await world.close();
  world = await PageWorld.start({ trustProxy: ["127.0.0.1"] });
  const open: ClientRequest[] = [];
  const listen = (address: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const request = get(`${world.url}api/events`, { headers: { "x-forwarded-for": address } }, ({ statusCode }) =>
        resolve(statusCode ?? 0),
      );
      request.on("error", (error: NodeJS.ErrnoException) => error.code !== "ECONNRESET" && reject(error));
      open.push(request);
    });
  const statuses = [];
  for (let i = 0; i < 25; i++) statuses.push(await listen(`2001:db8::${i + 1}`));
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.slice(20)).toEqual([503, 503, 503, 503, 503]);
  expect(await listen("192.0.2.1")).toBe(200);
  for (const request of open) request.destroy();
});
