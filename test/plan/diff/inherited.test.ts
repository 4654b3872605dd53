import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { holdsInherited, isInherited } from "../../../src/plan/diff/inherited.js";

const group = (attributes: string) => parseXml(`<entry name="g"><rules><entry name="r" ${attributes}/></rules></entry>`);
const rule = (attributes: string) => group(attributes).children[0]?.children[0];

describe("content of a template", () => {
  it.each(['ptpl="T"', 'loc="DG"', 'src="tpl"'])("is inherited and keeps its container: %s", (attributes) => {
    expect([isInherited(rule(attributes) as never), holdsInherited(group(attributes))]).toEqual([true, true]);
  });
});

describe("objects that the platform creates with another object", () => {
  it("are inherited and are deleted with that object", () => {
    expect(isInherited(rule('src="object"') as never)).toBe(true);
    expect(holdsInherited(rule('src="object"') as never)).toBe(true);
    expect(holdsInherited(group('src="object"'))).toBe(false);
  });
});
