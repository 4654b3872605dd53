import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { writeXml } from "../../../../src/core/tree/xml/write.js";
import { plain } from "../arbitraries.js";
import { sharedConfigurations } from "../shared-data.js";

describe.skipIf(sharedConfigurations.length === 0)("configurations of real devices", () => {
  it.each(sharedConfigurations.map((file) => [basename(file), file]))("%s is equal after writing and reading", (_, file) => {
    const tree = parseXml(readFileSync(file));
    for (const indent of [false, true]) expect(plain(parseXml(writeXml(tree, { indent, secrets: "label" })))).toEqual(plain(tree));
  });

  it.each(sharedConfigurations.map((file) => [basename(file), file]))("%s is refused if truncated anywhere", (_, file) => {
    const bytes = readFileSync(file);
    for (let length = 0; length < bytes.lastIndexOf(">"); length += 499) expect(() => parseXml(bytes.subarray(0, length))).toThrow();
  });
});
