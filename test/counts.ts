import { appendFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with one plain line of how many cases passed; `.ci/run` adds them up: $PLUMBLINE_COUNTS is its list. */
export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => states.filter((each) => each === state).length;
    const failedToLoad = modules.filter((module) => module.children.size === 0 && !module.ok()).length;
    const line = `${count("passed")} passed, ${count("failed") + failedToLoad} failed, ${count("skipped")} skipped`;
    console.log(`${line}, in ${modules.length} files`);
    const list = process.env.PLUMBLINE_COUNTS;
    if (list !== undefined) appendFileSync(list, `${line}\n`);
  }
}
