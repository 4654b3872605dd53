import type { FlowAssertion, PathAssertion } from "../../desired/assertions.js";
import type { SourceMap } from "../../desired/source-map.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";

/** The declared part of an assertion, with its location. */
export type DeclaredAssertion = Pick<JudgedAssertion, "name" | "description" | "strict" | "accepted" | "where"> &
  Pick<FlowAssertion, "verdict">;

/** Returns the declared part that all reports show, independent of the result. */
export function declaredAssertion(
  { name, description, verdict, strict, acceptsUnknowns, origin }: FlowAssertion | PathAssertion,
  sources: SourceMap,
): DeclaredAssertion {
  return { name, description, verdict, strict, accepted: acceptsUnknowns, where: sources.locate(origin) ?? {} };
}
