import { appendFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Maximum number of characters of an error in the list of failed tests. */
const MOST_CHARACTERS = 600;

/**
 * Ends a run with one plain line of how many cases passed; `.ci/run` adds them up: $PLUMBLINE_COUNTS is its list. Adds the failed tests to the
 * file $PLUMBLINE_FAILURES, under the title $PLUMBLINE_PART.
 */
export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => states.filter((each) => each === state).length;
    const failedToLoad = modules.filter((module) => module.children.size === 0 && !module.ok()).length;
    const line = `${count("passed")} passed, ${count("failed") + failedToLoad} failed, ${count("skipped")} skipped`;
    console.log(`${line}, in ${modules.length} files`);
    const list = process.env.PLUMBLINE_COUNTS;
    if (list !== undefined) appendFileSync(list, `${line}\n`);
    const failures = process.env.PLUMBLINE_FAILURES;
    if (failures !== undefined) appendFileSync(failures, modules.flatMap(failuresIn).join(""));
  }
}

function failuresIn(module: TestModule): string[] {
  const part = process.env.PLUMBLINE_PART ?? "failed";
  const line = (name: string, messages: readonly string[]) =>
    `${part}: ${module.relativeModuleId} > ${name}\n    ${messages.join("; ").slice(0, MOST_CHARACTERS).replaceAll("\n", "\n    ")}\n`;
  const own = module.errors().map(({ message }) => line("the file", [message]));
  const tests = [...module.children.allTests("failed")].map((test) =>
    line(test.fullName, test.result().errors?.map(({ message }) => message) ?? []),
  );
  return [...own, ...tests];
}
