import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ProgressLine } from "../../src/cli/progress.js";
import { CLEAR_LINE, type Paint, plain } from "../../src/report/style.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const painted: Paint = (_colour, text) => text;

function shown(output: { readonly isTTY?: boolean; readonly columns?: number }, texts: readonly string[], paint = painted): string[] {
  const written: string[] = [];
  const progress = new ProgressLine({ ...output, write: (text) => written.push(text) }, paint);
  for (const text of texts) {
    progress.update(text);
    vi.advanceTimersByTime(1_000);
  }
  progress.end();
  return written;
}

it("is rewritten in place on a terminal, shortened to its width, and cleared at the end", () => {
  expect(shown({ isTTY: true, columns: 20 }, ["edge: reading", "edge: waiting for a very long time"])).toEqual([
    `${CLEAR_LINE}… edge: reading`,
    `${CLEAR_LINE}… edge: waiting fo…`,
    CLEAR_LINE,
  ]);
});

it("is one complete line per step elsewhere, and nothing for steps below one second", () => {
  expect(shown({ columns: 20 }, ["edge: waiting for a very long time"])).toEqual(["… edge: waiting for a very long time\n"]);
  const written: string[] = [];
  const progress = new ProgressLine({ write: (text) => written.push(text) }, plain);
  progress.update("edge: reading");
  progress.end();
  vi.advanceTimersByTime(5_000);
  expect(written).toEqual([]);
});

it("contains no control sequences in plain mode (NO_COLOR, --no-color, TERM=dumb)", () => {
  expect(shown({ isTTY: true, columns: 80 }, ["edge: reading", "edge: writing"], plain)).toEqual([
    "… edge: reading\n",
    "… edge: writing\n",
  ]);
});

it("counts parts and targets on a terminal, with rate and remaining time, and not elsewhere", () => {
  const of = (isTTY: boolean): string[] => {
    const written: string[] = [];
    let now = 0;
    const progress = new ProgressLine({ isTTY, columns: 80, write: (text) => written.push(text) }, painted, () => now);
    for (const done of [0, 20, 40]) {
      progress.update("edge: writing", { done, all: 100 });
      vi.advanceTimersByTime(1_000);
      now += 1_000;
    }
    progress.tally(12, 0);
    progress.update("core: reading");
    progress.tally(0, 4);
    now += 2_000;
    progress.update("core: writing", { done: 1, all: 2 });
    progress.end();
    return written;
  };
  expect(of(true)).toEqual([
    `${CLEAR_LINE}… edge: writing 0 of 100`,
    `${CLEAR_LINE}… edge: writing 20 of 100, 20/s, 4s left`,
    `${CLEAR_LINE}… edge: writing 40 of 100, 20/s, 3s left`,
    `${CLEAR_LINE}… targets 0 of 12 · core: reading`,
    `${CLEAR_LINE}… targets 4 of 12, 2/s, 4s left · core: writing`,
    CLEAR_LINE,
  ]);
  expect(of(false)).toEqual(["… edge: writing\n", "… core: reading\n", "… core: writing\n"]);
});
