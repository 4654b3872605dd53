import pLimit from "p-limit";
import { describe, expect, it } from "vitest";
import { type Activity, during, type Ending, type Observer, observed, observing, reportRetry, together } from "../../src/core/observe.js";

/** Records starts and ends of spans, indented by their parent. */
function writer(lines: string[], depth = 0): Observer {
  const indent = "  ".repeat(depth);
  const named = (activity: Activity): string => (activity.type === "stage" ? activity.name : `${activity.kind} ${activity.call}`);
  const ended = ({ error, status }: Ending): string =>
    error === undefined ? String(status ?? "ok") : `failed: ${(error as Error).message}`;
  return {
    begin: (activity) => {
      lines.push(`${indent}${named(activity)}`);
      return { inside: writer(lines, depth + 1), end: (ending) => lines.push(`${indent}${named(activity)} ${ended(ending)}`) };
    },
    repeat: ({ target, kind }) => lines.push(`${indent}again ${target} ${kind}`),
  };
}

describe("observing work", () => {
  it("nests spans like the work, also through a queue and in parallel", async () => {
    const lines: string[] = [];
    const slots = pLimit(1);
    const request = { target: "edge", kind: "panos", call: "config get" };
    const read = () =>
      slots(() =>
        observed(
          request,
          (status: number) => status,
          async () => 200,
        ),
      );
    await observing(writer(lines), () =>
      during("pass", async () => {
        await during("read", async () => await Promise.all([read(), read()]));
        expect(during("plan", () => during("diff", () => 7))).toBe(7);
      }),
    );
    expect(lines).toEqual([
      "pass",
      "  read",
      "    panos config get",
      "    panos config get 200",
      "    panos config get",
      "    panos config get 200",
      "  read ok",
      "  plan",
      "    diff",
      "    diff ok",
      "  plan ok",
      "pass ok",
    ]);
  });

  it("records failures of synchronous and asynchronous work, and rethrows them", async () => {
    const lines: string[] = [];
    const fail = (): never => {
      throw new Error("no");
    };
    await observing(writer(lines), async () => {
      expect(() => during("plan", fail)).toThrow("no");
      await expect(during("read", async () => fail())).rejects.toThrow("no");
      reportRetry("edge", "panos");
    });
    expect(lines).toEqual(["plan", "plan failed: no", "read", "read failed: no", "again edge panos"]);
  });

  it("does nothing without an observer", async () => {
    reportRetry("edge", "panos");
    expect(during("plan", () => 7)).toBe(7);
    expect(
      await observed(
        { target: "edge", kind: "panos", call: "op" },
        (status: number) => status,
        async () => 200,
      ),
    ).toBe(200);
  });

  it("notifies several observers", () => {
    const [first, second]: [string[], string[]] = [[], []];
    observing(together([writer(first), writer(second)]), () => during("pass", () => during("read", () => reportRetry("edge", "panos"))));
    expect(first).toEqual(["pass", "  read", "    again edge panos", "  read ok", "pass ok"]);
    expect(second).toEqual(first);
  });
});
