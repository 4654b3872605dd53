import { expect, it } from "vitest";
import { admin, find } from "../support.js";

it("reports license, software and content of the device", async () => {
  const { client } = await admin({ system: { version: "10.2.9", serial: "0123" } });
  const text = async (cmd: string, ...tags: string[]): Promise<string | undefined> =>
    find((await client.op(cmd)).root, "result", ...tags)?.text;
  expect(await text("<request><license><info/></license></request>", "licenses", "entry", "serial")).toBe("0123");
  const software = "<request><system><software><info/></software></system></request>";
  expect(await text(software, "sw-updates", "versions", "entry", "version")).toBe("10.2.9");
  expect(await text("<request><content><upgrade><info/></upgrade></content></request>", "content-updates", "entry", "current")).toBe("yes");
});
