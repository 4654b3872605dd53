/**
 * The XPath subset in which the firewall specification addresses nodes (addressing rules 1 to 5), with `or`, `and`
 * and `concat()`. `Path` (`tree/path.ts`) is the address of exactly one node; this is the general expression.
 */
export { parsePath } from "./xpath/exact.js";
export type { Predicate, Step, XPath } from "./xpath/expression.js";
export { parseXPath } from "./xpath/parse.js";
export { type Selected, select } from "./xpath/select.js";
