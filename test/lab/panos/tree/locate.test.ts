import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { parseXPath } from "../../../../src/core/tree/xpath/xpath.js";
import { last } from "../../../../src/lab/panos/tree/config-tree.js";
import { locate } from "../../../../src/lab/panos/tree/locate.js";

const ROOT = parseXml(
  `<config><list>${Array.from({ length: 20 }, (_, index) => `<entry name="e${index}"><users><member>u1</member><member>u2</member><member>u3</member><member>u4</member><member>it's "odd"</member></users></entry>`).join("")}</list></config>`,
);

const found = (xpath: string): string[] => locate(ROOT, parseXPath(xpath)).map((chain) => last(chain).name ?? last(chain).text);

describe("locate", () => {
  it.each([
    ["/config/list/entry[@name='e7']", ["e7"]],
    ["/config/list/entry[@name='e9' or @name='e2' or @name='none']", ["e2", "e9"]],
    ["/config/list/entry[@name='e7']/users/member[text()='u2']", ["u2"]],
    ["/config/list/entry[@name='e7']/users/member[2]", ["u2"]],
    ["/config/list/entry[@name='e7']/users/member[position()<4]", ["u1", "u2", "u3"]],
    [`/config/list/entry[@name='e7']/users/member[text()=concat('it', "'", 's "odd"')]`, [`it's "odd"`]],
    ["/config/list/entry[@name='e99']", []],
    ["/nothing", []],
    ["list/entry", []],
  ])("%s", (xpath, expected) => {
    expect(found(xpath)).toEqual(expected);
  });
});
