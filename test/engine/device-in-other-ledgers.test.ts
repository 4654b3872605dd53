import { expect, it } from "vitest";
import { refuseDeviceOfOthers } from "../../src/engine/device-in-other-ledgers.js";
import { encodeRecord } from "../../src/engine/ledger/codec.js";
import type { LedgerKey } from "../../src/engine/ledger/store.js";
import type { TargetContext } from "../../src/engine/pass/context.js";
import { smallRecord } from "./ledger/small-record.js";

/** Targets of one owner. Notes each target whose ledger text is used. */
function fleet(devices: Map<string, string>) {
  const used: string[] = [];
  let version = 0;
  const versions = new Map([...devices.keys()].map((target) => [target, `${version++}`]));
  const leases = {
    targets: async () => [...devices.keys()],
    read: async ({ target }: LedgerKey) => ({
      version: versions.get(target) ?? "",
      get text() {
        used.push(target);
        return encodeRecord(smallRecord({ target, devices: [devices.get(target) ?? ""] }));
      },
    }),
  };
  const targets = new Map([...devices.keys()].map((name) => [name, { mode: "enforce" }]));
  return {
    used,
    write(target: string, device: string) {
      devices.set(target, device);
      versions.set(target, `${version++}`);
    },
    async check(name: string, device: string) {
      const context = { name, owner: "o", records: { leases }, dependencies: { others: { targets } } } as unknown as TargetContext;
      await refuseDeviceOfOthers(context, { names: [device], isPartial: false });
    },
  };
}

it("decodes each version of another ledger once, and finds a device that a newer version names", async () => {
  const { used, write, check } = fleet(new Map(["a", "b", "c"].map((name) => [name, `serial-${name}`])));
  await check("a", "serial-a");
  await check("b", "serial-b");
  await check("c", "serial-c");
  expect(used).toEqual(["b", "c", "a"]);
  write("b", "serial-a");
  await expect(check("a", "serial-a")).rejects.toMatchObject({ code: "device-twice" });
  expect(used).toEqual(["b", "c", "a", "b"]);
});
