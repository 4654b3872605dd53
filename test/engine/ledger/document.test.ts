import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { type Document, urlDocument } from "../../../src/engine/ledger/document.js";
import { VersionConflict } from "../../../src/engine/ledger/store.js";
import { afterTest } from "../../after-test.js";

interface Reply {
  readonly status: number;
  readonly etag?: string;
  readonly text?: string;
}

/** A server that returns these replies in order, and the requests that it got. */
async function serving(...replies: Reply[]): Promise<{ document: Document; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const { status, etag, text } = replies[asked.length] ?? { status: 500 };
    asked.push(request);
    request.resume().on("end", () => response.writeHead(status, etag === undefined ? {} : { etag }).end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterTest(() => server.close());
  return { document: urlDocument(`http://ann:secret@127.0.0.1:${(server.address() as AddressInfo).port}/ledger`), asked };
}

describe("a document at a URL", () => {
  it("is named by its address, without the password", async () => {
    expect((await serving()).document.place).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ledger$/);
  });

  it("is missing only for status 404, and needs a version tag", async () => {
    expect(await (await serving({ status: 404 })).document.read()).toBeUndefined();
    expect(await (await serving({ status: 200, etag: '"1"', text: "x" })).document.read()).toEqual({ text: "x", version: '"1"' });
    await expect((await serving({ status: 403, etag: '"1"' })).document.read()).rejects.toThrow("GET answered 403");
    await expect((await serving({ status: 204, etag: '"1"' })).document.read()).rejects.toThrow("GET answered 204");
    await expect((await serving({ status: 200 })).document.read()).rejects.toThrow("returns no ETag");
  });

  it("is written on condition that it is unchanged, or does not exist yet", async () => {
    const { document, asked } = await serving({ status: 200, etag: '"2"' }, { status: 201, etag: '"3"' });
    expect([await document.write("x", '"1"'), await document.write("x", undefined)]).toEqual(['"2"', '"3"']);
    expect(asked.map(({ method, headers }) => [method, headers["if-match"], headers["if-none-match"], headers["content-type"]])).toEqual([
      ["PUT", '"1"', undefined, "application/json"],
      ["PUT", undefined, "*", "application/json"],
    ]);
  });

  it.each([412, 409])("has another writer if the server answers %i", async (status) => {
    await expect((await serving({ status, etag: '"1"' })).document.write("x", '"0"')).rejects.toThrow(VersionConflict);
  });

  it.each([300, 400, 500])("is not written if the server answers %i", async (status) => {
    const { document } = await serving({ status, etag: '"1"' });
    const error = await document.write("x", '"0"').catch((thrown: unknown) => thrown);
    expect([error instanceof VersionConflict, String(error)]).toEqual([false, `Error: PUT answered ${status}`]);
  });

  it("is read again if the server returns no tag for the write, and must be equal", async () => {
    const same = await serving({ status: 299 }, { status: 200, etag: '"5"', text: "x" });
    expect(await same.document.write("x", '"4"')).toBe('"5"');
    const other = await serving({ status: 200 }, { status: 200, etag: '"6"', text: "theirs" });
    await expect(other.document.write("x", '"4"')).rejects.toThrow(VersionConflict);
    const gone = await serving({ status: 200 }, { status: 404 });
    await expect(gone.document.write("x", '"4"')).rejects.toThrow(VersionConflict);
  });
});
