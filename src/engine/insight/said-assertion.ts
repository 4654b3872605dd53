import type { FlowAssertion, PathAssertion } from "../../desired/assertions.js";
import type { SourceMap } from "../../desired/source-map.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";

/** What a document says of an assertion, and where. */
export type SaidAssertion = Pick<JudgedAssertion, "name" | "description" | "strict" | "accepted" | "where"> &
  Pick<FlowAssertion, "verdict">;

/** What is said of it on every surface, whatever it comes to. */
export function saidAssertion(
  { name, description, verdict, strict, acceptsUnknowns, origin }: FlowAssertion | PathAssertion,
  sources: SourceMap,
): SaidAssertion {
  return { name, description, verdict, strict, accepted: acceptsUnknowns, where: sources.locate(origin) ?? {} };
}
