import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { leaveOut } from "../left-out.js";
import type { Series } from "./promql.js";

/** `test/deploy/install-promtool` downloads the program to this place. */
const DOWNLOADED = fileURLToPath(new URL("../../node_modules/.cache/plumbline-deploy/promtool", import.meta.url));

/** Prometheus' own tester of alert rules; undefined if the machine has none. `PLUMBLINE_PROMTOOL` names a program outside `PATH`. */
export const PROMTOOL = [process.env.PLUMBLINE_PROMTOOL ?? "promtool", DOWNLOADED].find(
  (program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0,
);
if (PROMTOOL === undefined) leaveOut("the alert rules with Prometheus' own evaluator: promtool is not installed");

/** Ranges of Prometheus 2 include a sample at their start, those of Prometheus 3 do not. */
export const INCLUDES_START =
  PROMTOOL !== undefined && spawnSync(PROMTOOL, ["--version"], { encoding: "utf8" }).stdout.includes("version 2.");

/** Number of firing alerts of each name in one minute. */
export type Firing = ReadonlyMap<string, number>;

/** Checks the syntax of a file of rules. Returns the output of promtool and its exit status. */
export function checkRules(promtool: string, file: string): { readonly status: number | null; readonly out: string } {
  const { status, stdout, stderr } = spawnSync(promtool, ["check", "rules", file], { encoding: "utf8" });
  return { status, out: stdout + stderr };
}

/**
 * Evaluates the rules on the same samples with promtool. Returns the minutes in which other alerts fire, or an empty text.
 * @param start time of the first minute, in seconds. promtool starts at 0, so timestamps in samples become relative to the start.
 * @param minutes the alerts that the evaluator of the tests reports as firing, by minute
 */
export function differences(promtool: string, rules: string, series: readonly Series[], start: number, minutes: readonly Firing[]): string {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-promtool-"));
  const tests = {
    rule_files: [rules],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: series.map((each) => ({ series: selector(each), values: values(each, start, minutes.length) })),
        promql_expr_test: minutes.map((firing, minute) => ({
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: `${minute}m`,
          exp_samples: [...firing].map(([alertname, value]) => ({ labels: `{alertname="${alertname}"}`, value })),
        })),
      },
    ],
  };
  const file = join(folder, "tests.yaml");
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(tests));
  const { status, stdout, stderr, error } = spawnSync(promtool, ["test", "rules", file], { encoding: "utf8", maxBuffer: 2 ** 26 });
  rmSync(folder, { recursive: true });
  if (error !== undefined) throw error;
  return status === 0 ? "" : stdout + stderr;
}

function selector({ name, labels }: Series): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join(",")}}`;
}

/** Returns one value for each minute. A page that no longer contains the series ends it. */
function values({ name, points }: Series, start: number, minutes: number): string {
  const shift = name.endsWith("_timestamp_seconds") ? start : 0;
  const known = new Map(points.map(([at, value]) => [(at - start) / 60, value - shift]));
  return Array.from({ length: minutes }, (_, minute) => known.get(minute) ?? (known.has(minute - 1) ? "stale" : "_")).join(" ");
}
