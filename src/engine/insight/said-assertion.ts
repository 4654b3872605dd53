import type { FlowAssertion, PathAssertion } from "../../desired/assertions.js";
import type { SourceMap } from "../../desired/source-map.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";

/** What a document says of an assertion, and where. */
export function saidAssertion(
  { name, description, verdict, strict, acceptsUnknowns, origin }: FlowAssertion | PathAssertion,
  sources: SourceMap,
): Pick<JudgedAssertion, "name" | "description" | "verdict" | "strict" | "accepted" | "where"> {
  return { name, description, verdict, strict, accepted: acceptsUnknowns, where: sources.locate(origin) ?? {} };
}
