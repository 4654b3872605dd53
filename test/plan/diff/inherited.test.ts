import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { holdsInherited, isInherited } from "../../../src/plan/diff/inherited.js";

const group = (attributes: string) => parseXml(`<entry name="g"><rules><entry name="r" ${attributes}/></rules></entry>`);
const rule = (attributes: string) => group(attributes).children[0]?.children[0];

describe("what a template put there", () => {
  it.each(['ptpl="T"', 'loc="DG"', 'src="tpl"'])("is inherited and keeps what it stands in: %s", (attributes) => {
    expect([isInherited(rule(attributes) as never), holdsInherited(group(attributes))]).toEqual([true, true]);
  });
});

describe("what the platform makes with an object", () => {
  it("is inherited and goes with the object", () => {
    expect(isInherited(rule('src="object"') as never)).toBe(true);
    expect(holdsInherited(rule('src="object"') as never)).toBe(true);
    expect(holdsInherited(group('src="object"'))).toBe(false);
  });
});
