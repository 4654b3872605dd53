import { describe, expect, it } from "vitest";
import { ADDRESS, admin, find } from "../support.js";

describe("get of names only", () => {
  it("returns the entries of a list without content", async () => {
    const { client } = await admin();
    const reply = await client.config("get", `${ADDRESS}/entry/@name`);
    const entries = find(reply.root, "result")?.children ?? [];
    expect(reply.code).toBe("19");
    expect(entries.map(({ tag, name, children }) => [tag, name, children.length])).toEqual([
      ["entry", "web-1", 0],
      ["entry", "web-2", 0],
    ]);
  });

  it("answers like any other read without entries", async () => {
    const { client } = await admin();
    expect((await client.config("get", `${ADDRESS}/none/@name`)).code).toBe("7");
  });

  it("is unknown on a device that supports only the specification", async () => {
    const { client } = await admin({ capabilities: "spec-only" });
    expect((await client.config("get", `${ADDRESS}/entry/@name`)).code).toBe("7");
  });
});
