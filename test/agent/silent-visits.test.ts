import { describe, expect, it } from "vitest";
import { SilentVisits } from "../../src/agent/silent-visits.js";
import { observed } from "../../src/core/observe.js";
import { FakeClock } from "./fake-clock.js";

function gate<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const request = { target: "edge", kind: "panos", call: "op" };

describe("a silent visit", () => {
  it("releases its slot after a second, and takes it again with the first answer", async () => {
    const clock = new FakeClock();
    const silent = new SilentVisits(clock);
    const answer = gate<number>();
    const end = gate<void>();
    const visit = silent.run(true, async () => {
      await observed(
        request,
        (status: number) => status,
        () => answer.promise,
      );
      await end.promise;
    });
    expect([silent.count, silent.untilNext]).toEqual([0, 1000]);
    clock.advance(1000);
    expect([silent.count, silent.untilNext]).toEqual([1, Number.POSITIVE_INFINITY]);
    answer.resolve(200);
    await answer.promise;
    await new Promise((next) => setImmediate(next));
    expect(silent.count).toBe(0);
    end.resolve();
    await visit;
  });

  it("reports that it gives up its slot, up to 64 visits, and not if the target has answered", async () => {
    const clock = new FakeClock();
    const silent = new SilentVisits(clock);
    const end = gate<void>();
    let reports = 0;
    const report = () => {
      reports += 1;
    };
    const answered = async () => {
      await observed(
        request,
        () => 200,
        async () => 200,
      );
      await end.promise;
    };
    const visits = [silent.run(true, answered, report)];
    for (let at = 0; at < 65; at++) visits.push(silent.run(at > 0, () => end.promise, report));
    clock.advance(0);
    await new Promise((next) => setImmediate(next));
    expect(reports).toBe(1);
    clock.advance(1000);
    await new Promise((next) => setImmediate(next));
    expect(reports).toBe(64);
    end.resolve();
    await Promise.all(visits);
  });

  it("of a target that did not answer last time takes no slot before it answers; a failed request is no answer", async () => {
    const silent = new SilentVisits(new FakeClock());
    const end = gate<void>();
    const visit = silent.run(false, async () => {
      await observed(
        request,
        () => 0,
        () => Promise.reject(new Error("gone")),
      ).catch(() => undefined);
      await end.promise;
    });
    await new Promise((next) => setImmediate(next));
    expect(silent.count).toBe(1);
    end.resolve();
    await visit;
    expect(silent.count).toBe(0);
  });

  it("releases its slot when a later request gets no answer for ten seconds, and takes it again with the answer", async () => {
    const clock = new FakeClock();
    const silent = new SilentVisits(clock);
    const [first, second, end] = [gate<number>(), gate<number>(), gate<void>()];
    let reports = 0;
    const asked = (answer: Promise<number>) =>
      observed(
        request,
        (status: number) => status,
        () => answer,
      );
    const visit = silent.run(
      true,
      async () => {
        await asked(first.promise);
        await asked(second.promise);
        await end.promise;
      },
      () => {
        reports += 1;
      },
    );
    const turn = () => new Promise((next) => setImmediate(next));
    first.resolve(200);
    await turn();
    clock.advance(9_000);
    await turn();
    expect([silent.count, reports]).toEqual([0, 0]);
    clock.advance(1_000);
    await turn();
    clock.advance(10_000);
    await turn();
    expect([silent.count, reports]).toEqual([1, 1]);
    second.resolve(200);
    await turn();
    expect(silent.count).toBe(0);
    clock.advance(60_000);
    await turn();
    expect([silent.count, reports, silent.untilNext]).toEqual([0, 1, Number.POSITIVE_INFINITY]);
    end.resolve();
    await visit;
  });
});
