import { describe, expect, it } from "vitest";
import { parseFilter } from "../../../../src/lab/panos/logs/filter.js";

const RECORD = new Map(
  Object.entries({
    src: "192.0.2.7",
    dst: "2001:db8::1",
    sport: "40000",
    dport: "443",
    from: "lan",
    to: "dmz",
    action: "deny",
    severity: "high",
  }),
);

describe("a filter, as the log page of a device writes it", () => {
  it.each([
    ["( addr.src in 192.0.2.7 )", true],
    ["( addr.src in 192.0.2.0/24 ) and ( port.dst eq 443 )", true],
    ["( addr.src in 192.0.3.0/24 )", false],
    ["( addr.src notin 192.0.3.0/24 )", true],
    ["( addr.dst in 2001:db8::/32 )", true],
    ["( addr in 2001:db8::1 )", true],
    ["( addr in 10.0.0.0/8 )", false],
    ["( port eq 443 ) and ( zone.src eq lan ) and ( zone eq dmz )", true],
    ["( port neq 443 )", false],
    ["!( action eq allow )", true],
    ["not ( action eq deny ) or ( severity geq high )", true],
    ["( action eq deny ) and not ( addr.src in 192.0.2.7 )", false],
    ["( ! ( action eq deny ) )", false],
  ])("%s", (text, passes) => {
    expect(parseFilter(text)(RECORD)).toBe(passes);
  });

  it.each([
    "( addr.src in here )",
    "( addr.src in 192.0.2.0/33 )",
    "( action in 192.0.2.1 )",
    "( port.dest eq 443 )",
    "!",
    "not",
    "( not )",
  ])("%s is none", (text) => {
    expect(() => parseFilter(text)).toThrow(/is invalid/);
  });
});
