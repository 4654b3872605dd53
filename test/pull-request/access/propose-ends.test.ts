import { expect, it } from "vitest";
import type { TargetContext } from "../../../src/engine/pass/context.js";
import { proposeEnds } from "../../../src/pull-request/access/propose-ends.js";
import type { CodeHost } from "../../../src/pull-request/host.js";

it("leaves an open request as it is if the rules could not be checked", async () => {
  // Any request to the code host fails.
  const [host, context] = [{} as CodeHost, { name: "edge", checkout: {} } as TargetContext];
  const rulebase = { scope: "device-group/branch", steps: [], kept: [], effect: { opened: [], closed: [], handled: [] }, notes: [] };
  const result = { files: [], faults: [], atApply: [] };
  const propose = (isUnchecked: true | undefined) =>
    proposeEnds(context, { ...result, rulebases: [isUnchecked ? { ...rulebase, isUnchecked } : rulebase] }, { host, base: undefined });
  expect(await propose(true)).toEqual({ done: "nothing", pullRequest: undefined });
  await expect(propose(undefined)).rejects.toThrow();
});
