import { expect, it } from "vitest";
import { panosGuards } from "../../src/targets/panos/guards.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { firewallCapabilities, plan } from "../plan/support/planned.js";
import { vsys } from "./support.js";

const category = (name: string, text: string): string => `<entry name="${name}">${text}</entry>`;
const config = (...entries: string[]): string =>
  vsys(`<profiles><custom-url-category>${entries.join("")}</custom-url-category></profiles>`);
const URLS = "<list><member>example.com</member></list>";
const OLD = category("old", URLS);

const refused = (wanted: string, version: string | undefined, allow: readonly [string, string][] = []) =>
  plan(config(OLD), wanted, {
    shape: panosShape(),
    capabilities: { ...firewallCapabilities, version },
    kindGuards: { ...panosGuards, management: () => undefined },
    allow: new Map([["first-contact", "1000000"], ...allow]),
  }).refusals.map(({ guard, message }) => `${guard}: ${message}`);

it("refuses a new object without a field that the version of the device requires", () => {
  const wanted = config(OLD, category("new", URLS));
  expect(refused(wanted, "9.0.3")).toEqual([expect.stringMatching(/^values: PAN-OS 9\.0\.3 requires "type" in "new"/)]);
  expect(refused(wanted, "8.1.20")).toEqual([]);
  expect(refused(wanted, undefined)).toEqual([]);
  expect(refused(wanted, "9.0.3", [["values", ""]])).toEqual([]);
  expect(refused(config(OLD, category("new", `${URLS}<type>URL List</type>`)), "9.0.3")).toEqual([]);
});

it("does not refuse other changes because of an object that was already there", () => {
  expect(refused(config(OLD), "9.0.3")).toEqual([]);
  expect(refused(config(category("old", `<description>d</description>${URLS}`)), "9.0.3")).toHaveLength(1);
});
