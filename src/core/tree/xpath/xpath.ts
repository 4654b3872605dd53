/**
 * The XPath subset that the firewall specification uses for addresses (addressing rules 1 to 5), with `or`, `and` and `concat()`. `Path`
 * (`tree/path.ts`) is the address of exactly one node; this module has the general expressions.
 */
export { parsePath } from "./exact.js";
export type { Predicate, Step, XPath } from "./expression.js";
export { parseXPath } from "./parse.js";
export { type Selected, select } from "./select.js";
