import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PlumblineErrors } from "../../src/core/errors.js";
import { gather } from "../../src/verdict/inputs.js";
import { failure } from "../targets/panos/fixtures.js";
import { go, md5, sha256, temporaryFolder } from "./support.js";

const nothing = { hashes: [], lists: [], paths: [] };

describe("inputs", () => {
  it("are hashes in any case, lists of sha256sum, and files, in this order", async () => {
    const folder = temporaryFolder();
    const list = [`# files of today`, `${sha256("a")}  a file.bin`, "", `${md5("b").toUpperCase()} *b.bin`, md5("c"), ""];
    writeFileSync(join(folder, "list"), list.join("\r\n"));
    writeFileSync(join(folder, "d.bin"), "d");
    const found = await gather({ hashes: [md5("x").toUpperCase()], lists: ["list"], paths: ["d.bin"] }, folder, go.stop);
    expect(found).toEqual([
      { hash: md5("x"), name: "" },
      { hash: sha256("a"), name: "a file.bin" },
      { hash: md5("b"), name: "b.bin" },
      { hash: md5("c"), name: "" },
      { hash: sha256("d"), name: "d.bin" },
    ]);
  });

  it("can be files in several chunks", async () => {
    const folder = temporaryFolder();
    const out = createWriteStream(join(folder, "large"));
    const hash = createHash("sha256");
    for (let i = 0; i < 40; i++) {
      const piece = Buffer.alloc(50_000, i);
      hash.update(piece);
      out.write(piece);
    }
    await once(out.end(), "close");
    expect(await gather({ ...nothing, paths: ["large"] }, folder, go.stop)).toEqual([{ hash: hash.digest("hex"), name: "large" }]);
  });

  it("are refused with all errors and their positions", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "dir"));
    writeFileSync(join(folder, "list"), `${md5("a")}\nnot-a-hash name\n`);
    const outcome = gather({ hashes: ["12"], lists: ["list", "nowhere"], paths: ["dir", "gone"] }, folder, go.stop);
    const errors = await outcome.catch((error: unknown) => (error instanceof PlumblineErrors ? error.errors : []));
    expect((errors as PlumblineErrors["errors"]).map(({ code, where }) => [code, where.file, where.line])).toEqual([
      ["hash-invalid", undefined, undefined],
      ["hash-invalid", "list", 2],
      ["hash-file-unreadable", "nowhere", undefined],
      ["hash-file-unreadable", "dir", undefined],
      ["hash-file-unreadable", "gone", undefined],
    ]);
  });

  it("are never empty", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "list"), "# all gone\n");
    expect((await failure(gather({ ...nothing, lists: ["list"] }, folder, go.stop))).code).toBe("hashes-missing");
  });

  it("stop on request", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a"), "a");
    expect((await failure(gather({ ...nothing, paths: ["a"] }, folder, AbortSignal.abort()))).code).toBe("interrupted");
  });
});
