import { expect, it } from "vitest";
import { admin, find } from "../support.js";

it.each([
  [1, "off"],
  [2, "on"],
])("says of %i virtual systems that multi-vsys is %s", async (count, multiVsys) => {
  const systems = Array.from({ length: count }, (_, index) => `<entry name="vsys${index + 1}"/>`).join("");
  const config = `<config><devices><entry name="localhost.localdomain"><vsys>${systems}</vsys></entry></devices></config>`;
  const { client } = await admin({ config });
  const reply = await client.op("<show><system><info/></system></show>");
  expect(find(reply.root, "result", "system", "multi-vsys")?.text).toBe(multiVsys);
});
