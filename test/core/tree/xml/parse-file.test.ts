import { expect, it } from "vitest";
import { parseXmlFile } from "../../../../src/core/tree/xml/parse-file.js";

it("reads a document, and names file and position of an error", () => {
  expect(parseXmlFile("a.xml", Buffer.from("<config><a/></config>")).tag).toBe("config");
  const broken = () => parseXmlFile("export/a.xml", Buffer.from("<config>\n  <a></b>\n</config>"));
  expect(broken).toThrow(expect.objectContaining({ code: "xml-malformed", where: { file: "export/a.xml", line: 2, column: 6 } }));
});
