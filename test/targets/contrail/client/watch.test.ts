import { describe, expect, it } from "vitest";
import { readEvents } from "../../../../src/targets/contrail/client/event-stream.js";
import { type WatchEvent, watch } from "../../../../src/targets/contrail/client/watch.js";
import { failure } from "../../panos/fixtures.js";
import { clientOf, HTML, networkDocument, scripted, startLab, tokens } from "../fixtures.js";

describe("watching", () => {
  it("returns the complete list, then each change, until it is stopped", async () => {
    const lab = await startLab();
    const stop = new AbortController();
    const events = await watch(clientOf(lab.url), ["virtual-network"], stop.signal);
    const seen: WatchEvent[] = [];
    for await (const event of events ?? []) {
      seen.push(event);
      if (event.kind === "init") {
        const { uuid } = lab.world.create("virtual-network", networkDocument("blue"));
        lab.world.update("virtual-network", uuid, { display_name: "azure" });
        lab.world.delete("virtual-network", uuid);
      }
      if (event.kind === "delete") stop.abort();
    }
    expect(seen.map(({ kind }) => kind)).toEqual(["init", "create", "update", "delete"]);
    expect(seen[0]?.data).toMatchObject({ "virtual-networks": expect.arrayContaining([expect.anything()]) });
    expect(seen[2]?.data).toMatchObject({ "virtual-network": { display_name: "azure" } });
  });

  it("is not available on old controllers", async () => {
    const { url } = await scripted(() => ({ status: 404, type: HTML, body: "Not found: '/watch'" }));
    expect(await watch(clientOf(url), ["virtual-network"], new AbortController().signal)).toBeUndefined();
  });

  it("renews a token like other requests", async () => {
    const source = tokens();
    const { url } = await scripted(({ headers }) =>
      headers["x-auth-token"] === "token-2"
        ? { type: "text/event-stream", body: 'event: init\ndata: {"virtual-networks": []}\n\n' }
        : { status: 401, type: "application/json", body: '{"error": {"message": "no"}}' },
    );
    const events = await watch(clientOf(url, { auth: { kind: "token", source } }), ["virtual-network"], new AbortController().signal);
    const kinds: string[] = [];
    for await (const { kind } of events ?? []) kinds.push(kind);
    expect(kinds).toEqual(["init"]);
  });

  it("reports an invalid stream of events", async () => {
    const page = await scripted(() => ({ type: HTML, body: "<html></html>" }));
    expect((await failure(watch(clientOf(page.url), ["project"], new AbortController().signal))).code).toBe("controller-watch-broken");
    const denied = await scripted(() => ({ status: 403, type: "text/plain", body: "403 Permission Denied" }));
    expect((await failure(watch(clientOf(denied.url), ["project"], new AbortController().signal))).code).toBe("controller-permission");
  });
});

describe("events in bytes", () => {
  async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  it.each([1, 2, 3, 7, 1000])("are complete from pieces of %i", async (size) => {
    const text = ':\n\nevent: create\r\ndata: {"a": "é"}\r\n\r\n: alive\n\ndata: one\ndata: two\n\nevent: cut\ndata: never';
    const events = [];
    for await (const event of readEvents(pieces(text, size), 100)) events.push(event);
    expect(events).toEqual([
      { event: "create", data: '{"a": "é"}' },
      { event: "message", data: "one\ntwo" },
    ]);
  });

  it("have a maximum length", async () => {
    const reading = (async () => {
      for await (const _ of readEvents(pieces(`data: ${"x".repeat(200)}`, 10), 100)) throw new Error("none is due");
    })();
    await expect(reading).rejects.toThrow(RangeError);
  });
});
