import { describe, expect, it } from "vitest";
import { requestsIn } from "../../src/cli/requests-file.js";

const fault = (text: string): string => {
  try {
    requestsIn(text, "r.csv");
  } catch (error) {
    const { code, message, where } = error as { code: string; message: string; where?: { line?: number } };
    return `${code} ${where?.line}: ${message}`;
  }
  return "no fault";
};
const NONE = { user: undefined, fromZone: undefined, toZone: undefined };

describe("a CSV file of requests", () => {
  it("may have quoted fields, comments, empty lines, a byte order mark, and lines that end with CRLF", () => {
    const text =
      '\uFEFFfrom,to,service,application,user\r\n# web\r\n"web-01", db-01 ,tcp/22,ssh,"Doe, Jane"\r\n\r\nweb-02,db-01,tcp/22,ssh,\r\n';
    expect(requestsIn(text, "r.csv")).toEqual([
      { from: "web-01", to: "db-01", service: "tcp/22", application: "ssh", ...NONE, user: "Doe, Jane" },
      { from: "web-02", to: "db-01", service: "tcp/22", application: "ssh", ...NONE },
    ]);
  });

  it("needs no application, and then each request is about every application", () => {
    expect(requestsIn("from,to,service\na,b,tcp/1\n", "r.csv")).toEqual([
      { from: "a", to: "b", service: "tcp/1", application: "any", ...NONE },
    ]);
  });

  it.each([
    ["", 'requests-invalid 1: There is no column "".'],
    ["from,to\na,b\n", 'requests-invalid 1: The column "service" is missing.'],
    ["from,to,service,price\n", 'requests-invalid 1: There is no column "price".'],
    ["from,to,service\n", "requests-invalid 1: The file contains no request."],
    ["from,to,service\n# none\n\na,b\n", "requests-invalid 4: The line has 2 fields instead of 3."],
    ["from,to,service\na,,tcp/1\n", 'requests-invalid 2: The field "to" is empty.'],
    ['from,to,service\n"a,b,tcp/1\n', "requests-invalid 2: The file is no CSV: Quote Not Closed"],
  ])("with a mistake names the line: %j", (text, problem) => {
    expect(fault(text)).toContain(problem);
  });
});
