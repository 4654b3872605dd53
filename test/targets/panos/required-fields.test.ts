import { expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { missingFields } from "../../../src/targets/panos/required-fields.js";

const vsys = (text: string): string =>
  `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1">${text}</entry></vsys></entry></devices></config>`;
const category = (text: string): string =>
  vsys(`<profiles><custom-url-category><entry name="c">${text}</entry></custom-url-category></profiles>`);
const URLS = "<list><member>example.com</member></list>";
const forwarding = (text: string): string =>
  vsys(
    `<log-settings><profiles><entry name="p"><match-list><entry name="m">${text}</entry></match-list></entry></profiles></log-settings>`,
  );
const settings = (text: string): string =>
  `<config><shared><log-settings><system><match-list><entry name="m">${text}</entry></match-list></system></log-settings></shared></config>`;

it.each([
  [category(URLS), "9.0.0", 'PAN-OS 9.0.0 requires "type" in "c". Write type: URL List, or type: Category Match.'],
  [category(URLS), "11.1.4-h7", 'PAN-OS 11.1.4-h7 requires "type" in "c".'],
  [category(URLS), "8.1.20", undefined],
  [category(""), "11.1.4", undefined],
  [category(`${URLS}<type>URL List</type>`), "11.1.4", undefined],
  [forwarding("<log-type>traffic</log-type>"), "10.2.9", 'PAN-OS 10.2.9 requires "filter" in "m". Write filter: All Logs, or a filter.'],
  [forwarding("<log-type>traffic</log-type><filter>All Logs</filter>"), "10.2.9", undefined],
  [settings("<send-syslog><member>s</member></send-syslog>"), "10.2.9", 'requires "filter" in "m"'],
])("%s on %s: %s", (xml, version, message) => {
  const found = missingFields(parseXml(xml), version).map((each) => each.message);
  expect(found).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
});
