import { expect, it } from "vitest";
import { subtreeOf } from "../../../src/engine/pass/live-trees.js";

const VSYS = "devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";

it.each([
  [`${VSYS}/address/entry`, `/config/${VSYS}/address`],
  [`${VSYS}/address/entry/ip-netmask`, `/config/${VSYS}/address`],
  [`${VSYS}/address/entry[description='x']`, `/config/${VSYS}/address`],
  ["devices/entry/vsys/entry[@name='vsys1']/address", "/config/devices"],
  [`${VSYS}/address/entry[@name='web']/ip-netmask`, `/config/${VSYS}/address/entry[@name='web']/ip-netmask`],
])("a reference to %s reads all entries that it can select", (xpath, subtree) => {
  expect(subtreeOf(xpath, { rootTag: "config", isStrict: false }).toString()).toBe(subtree);
});
