import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ResidentWorker } from "./resident-worker.js";

/** Excluded because a case takes a second or more. */
const SLOW = [
  "test/plan/order.long.test.ts",
  "test/engine/{fence,rollback}.test.ts",
  "test/engine/checkout/**",
  "test/reachability/questions/format-reach.test.ts",
  "test/engine/apply/{lab,lease}.test.ts",
];

/** Runs the tests of the mutated folder first, because the first failed test ends a mutant. The order of files is fixed. */
class RoomFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOfRoom = (file: TestSpecification): boolean => file.moduleId.includes(`/test/${process.env.MUTATION_ROOM}/`);
    return files.toSorted((one, other) => Number(isOfRoom(other)) - Number(isOfRoom(one)) || (one.moduleId < other.moduleId ? -1 : 1));
  }
}

export default defineConfig({
  plugins: [
    {
      name: "resident-worker",
      configureVitest({ project }) {
        project.config.pool = "resident" as never;
        project.config.poolRunner = { name: "resident", createPoolWorker: (options) => new ResidentWorker(options) };
      },
    },
  ],
  test: {
    include: JSON.parse(process.env.MUTATION_TESTS ?? "[]") as string[],
    exclude: ["**/*.{faults,long}.test.ts", ...SLOW],
    setupFiles: ["test/setup.ts", "test/mutation/setup.ts"],
    testTimeout: 20_000,
    isolate: false,
    sequence: { sequencer: RoomFirst },
  },
});
