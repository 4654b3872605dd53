import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { identityOf, readRecord } from "../../../src/targets/panos/log-record.js";

describe("a log record", () => {
  it("has its fields in the device's order, the record number first, and both of two", () => {
    const entry = parseXml(
      `<entry logid="77"><src>192.0.2.1</src><srcloc code="US" cc="US">United States</srcloc><tag>a</tag><tag>b</tag><empty/></entry>`,
    );
    expect([...readRecord(entry)]).toEqual([
      ["logid", "77"],
      ["src", "192.0.2.1"],
      ["srcloc", "United States"],
      ["tag", "a, b"],
      ["empty", ""],
    ]);
  });

  it("is the same in two jobs, which number it differently", () => {
    const fields = "<serial>1</serial><type>THREAT</type><receive_time>2026/01/05 08:00:00</receive_time>";
    const read = (logid: number, seqno: string) => identityOf(readRecord(parseXml(`<entry logid="${logid}">${fields}${seqno}</entry>`)));
    expect(read(1, "<seqno>9</seqno>")).toBe(read(2, "<seqno>9</seqno>"));
    expect(read(1, "<seqno>9</seqno>")).not.toBe(read(1, "<seqno>10</seqno>"));
    expect(read(1, "")).not.toBe(read(2, ""));
  });
});
