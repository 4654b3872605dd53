import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { openPanosWriter } from "../../../src/targets/panos/writer.js";
import { handsOn } from "../hands-on.js";
import { configuration, dependencies, done, enqueued, failure, result, unknownCommand } from "./fixtures.js";
import { writer } from "./open-writer.js";
import { scriptedDevice } from "./scripted-device.js";
import { CALLS, tableScript } from "./table-device.js";

const quiet = () => undefined;

describe("the author of writes", () => {
  it("is the device's name, or the configured user", async () => {
    const told = await writer({}, { credentials: { username: "alias", apiKey: new SecretValue("K", "k") } });
    expect(await told.target.administrator()).toBe("netops");
    await told.target.close();
    for (const answer of [unknownCommand, result("<admins><entry><admin>other</admin></entry></admins>")]) {
      const { target } = await writer({ [CALLS.admins]: answer });
      expect(await target.administrator()).toBe("netops");
      await target.close();
    }
    const nobody = await writer({ [CALLS.admins]: unknownCommand }, { credentials: { apiKey: new SecretValue("K", "k") } });
    expect((await failure(nobody.target.administrator())).code).toBe("administrator-unknown");
    await nobody.target.close();
  });
});

describe("snapshots", () => {
  it("are saved under a name, up to the maximum length", async () => {
    const save = "<save><config><to>plumbline-run1</to></config></save>";
    const { target, calls } = await writer({ [save]: result("Config saved to plumbline-run1") });
    expect(await target.save("plumbline-run1")).toBe(true);
    expect(calls(save)).toHaveLength(1);
    expect((await failure(target.save("x".repeat(33)))).code).toBe("snapshot-name-length");
    await target.close();
  });
});
describe("a device that supports only the specification", () => {
  it("works on a device that supports only the specification: a plain commit, whose end is not reported", async () => {
    const device = await scriptedDevice(tableScript({ commit: enqueued(4), "config/set": done }));
    const target = handsOn(openPanosWriter(configuration(device.url), dependencies()));
    await target.lock("plumbline/1 x", []);
    await target.write([{ action: "set", at: parsePath("/config/shared/tag"), element: new TreeNode("entry", "dmz") }]);
    expect(await target.save("before")).toBe(false);
    expect((await target.validate(quiet)).outcome).toBe("nothing");
    expect(await target.commit({ description: "x", partial: true }, quiet)).toMatchObject({ outcome: "committed", job: "4" });
    expect(device.asked.find(({ call }) => call === "commit")?.params.get("cmd")).toBe("<commit></commit>");
    expect(await target.settleJobs("plumbline", quiet)).toEqual([]);
    await target.unlock();
    await target.close();
  });
});

describe("revert", () => {
  it("reverts only the own changes", async () => {
    const revert = "<revert><config><partial><admin><member>netops</member></admin></partial></config></revert>";
    const { target, calls } = await writer({ [revert]: result("") });
    await target.revert();
    expect(calls(revert)).toHaveLength(1);
    await target.close();
  });
});
