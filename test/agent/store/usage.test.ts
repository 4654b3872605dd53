import { expect, it } from "vitest";
import { onEachDatabase } from "./each-database.js";
import { end, start } from "./passes.js";

onEachDatabase("the size of a store", (database) => {
  it("grows with its content", async () => {
    const store = await database.store();
    const empty = await store.usage();
    expect(empty.rows).toBe(0);
    expect(empty.bytes).toBeGreaterThan(0);
    for (let i = 0; i < 200; i++) await store.passes.record(start(), end());
    const used = await store.usage();
    expect(used.rows).toBe(200);
    expect(used.bytes).toBeGreaterThan(empty.bytes);
  });
});
