import { expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { readJob } from "../../../../src/targets/panos/commit/job.js";

it.each([
  ["the time of day alone", "2026/11/21 04:36:45", "04:36:57", "2026/11/21 04:36:57"],
  ["the time of the next day", "2026/12/31 23:59:50", "00:00:10", "2027/01/01 00:00:10"],
  ["date and time", "2026/11/21 04:36:45", "2026/11/21 04:40:00", "2026/11/21 04:40:00"],
  ["nothing yet", "2026/11/21 04:36:45", "", undefined],
  ["a time that belongs to no date", "", "04:36:57", undefined],
])("a job ends at %s", (_, enqueued, finished, expected) => {
  expect(readJob(parseXml(`<job><tenq>${enqueued}</tenq><tfin>${finished}</tfin></job>`)).finished).toBe(expected);
});
