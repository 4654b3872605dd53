import { describe, expect, it } from "vitest";
import { parseColumns } from "../../../src/cli/logs/columns.js";
import { type PrinterOptions, printerFor } from "../../../src/cli/logs/printer.js";
import { plain } from "../../../src/report/style.js";

const records = (...rows: Record<string, string>[]): ReadonlyMap<string, string>[] => rows.map((row) => new Map(Object.entries(row)));
const options: PrinterOptions = { type: "threat", format: "table", columns: undefined, endless: false, paint: plain };
const first = records(
  { logid: "1", receive_time: "2026/01/05 08:00:00", src: "192.0.2.1", dst: "198.51.100.1", rule: "", misc: "a,b" },
  { logid: "2", receive_time: "2026/01/05 08:00:01", src: "192.0.2.10", dst: "198.51.100.1", rule: "", misc: "c" },
);

/** Everything that a printer prints for these pages. */
function print(overrides: Partial<PrinterOptions>, ...pages: ReadonlyMap<string, string>[][]): string {
  const printer = printerFor({ ...options, ...overrides });
  return pages.map((page) => printer.print(page)).join("") + printer.end();
}

describe("a table", () => {
  it("has the usual columns that the records fill, aligned", () => {
    expect(print({}, first, records({ receive_time: "2026/01/05 08:00:02", src: "192.0.2.2", misc: "d" }))).toBe(
      [
        "receive_time         src         dst           misc",
        "2026/01/05 08:00:00  192.0.2.1   198.51.100.1  a,b",
        "2026/01/05 08:00:01  192.0.2.10  198.51.100.1  c",
        "2026/01/05 08:00:02  192.0.2.2                 d",
        "",
      ].join("\n"),
    );
  });

  it("has the chosen columns, filled or not", () => {
    expect(print({ columns: ["rule", "src"] }, first)).toBe("rule  src\n      192.0.2.1\n      192.0.2.10\n");
  });

  it("shows the existing fields if the usual columns are missing", () => {
    expect(print({ type: "iptag" }, records({ logid: "1", colour: "red", shape: "round" }))).toBe("colour  shape\nred     round\n");
  });

  it("is empty without records, and cannot control the terminal", () => {
    expect(print({}, [])).toBe("");
    expect(print({ columns: ["src", "misc"] }, records({ src: "x", misc: "a\u009b2J\nb" }))).toBe("src  misc\nx    a\\u009b2J\\nb\n");
  });
});

describe("CSV", () => {
  it("has the usual columns of the type, for any records, with one heading", () => {
    expect(print({ format: "csv" }, first.slice(0, 1), first.slice(1))).toBe(
      `receive_time,severity,src,dst,app,rule,action,category,threatid,misc\r\n2026/01/05 08:00:00,,192.0.2.1,198.51.100.1,,,,,,"a,b"\r\n2026/01/05 08:00:01,,192.0.2.10,198.51.100.1,,,,,,c\r\n`,
    );
    expect(print({ format: "csv", columns: ["src"] })).toBe("src\r\n");
  });
});

describe("JSON", () => {
  it("is one list over all pages, with all or the chosen fields", () => {
    expect(JSON.parse(print({ format: "json" }, first.slice(0, 1), [], first.slice(1)))).toEqual(
      first.map((each) => Object.fromEntries(each)),
    );
    expect(JSON.parse(print({ format: "json", columns: ["src", "none"] }, first.slice(0, 1)))).toEqual([{ src: "192.0.2.1", none: "" }]);
    expect(print({ format: "json" })).toBe("[]\n");
  });

  it("is one record per line when following", () => {
    const lines = print({ format: "json", endless: true }, first).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).logid)).toEqual(["1", "2"]);
  });
});

describe("--columns", () => {
  it("are names separated by commas", () => {
    expect(parseColumns("src, before-change-preview,x.y")).toEqual(["src", "before-change-preview", "x.y"]);
    for (const wrong of ["", "a,,b", "a b"]) expect(() => parseColumns(wrong)).toThrow(expect.objectContaining({ code: "option-invalid" }));
  });
});
