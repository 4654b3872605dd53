import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReadWriteLock } from "../../src/agent/read-write-lock.js";

describe("the read-write lock", () => {
  it("allows parallel readers and one writer, in any order and with any failure", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.record({ write: fc.boolean(), fails: fc.boolean() }), { maxLength: 12 }),
        async (s, jobs) => {
          const lock = new ReadWriteLock();
          let readers = 0;
          let writers = 0;
          let done = 0;
          const all = jobs.map(({ write, fails }) => {
            const work = async () => {
              if (write) writers += 1;
              else readers += 1;
              expect(writers === 0 || (writers === 1 && readers === 0)).toBe(true);
              await s.schedule(Promise.resolve());
              if (write) writers -= 1;
              else readers -= 1;
              done += 1;
              if (fails) throw new Error("failed");
            };
            return (write ? lock.write(work) : lock.read(work)).catch((error: Error) => expect(error.message).toBe("failed"));
          });
          const finished = Promise.all(all);
          await s.waitFor(finished);
          expect(done).toBe(jobs.length);
        },
      ),
    );
  });
});
