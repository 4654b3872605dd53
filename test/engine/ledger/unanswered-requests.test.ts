import { expect, it } from "vitest";
import { sentBy, stillUnanswered, unansweredOn } from "../../../src/engine/ledger/unanswered-requests.js";
import { smallRecord } from "./small-record.js";

it("an unanswered create is searched for during two days", () => {
  const unanswered = { "/a": "2026-02-27", "/b": "2026-02-28", "/c": "2026-03-02 print" };
  const record = { ...smallRecord(), unanswered };
  expect(stillUnanswered(record, "2026-03-02")).toEqual({ "/b": "2026-02-28", "/c": "2026-03-02 print" });
  expect(stillUnanswered(undefined, "2026-03-02")).toEqual({});
});

it("keeps the object of an unanswered request, and its commit", () => {
  expect(unansweredOn("2026-03-02", undefined)).toBe("2026-03-02");
  for (const wasTheirs of [true, false])
    for (const commit of [undefined, "0123abc"]) {
      const sent = { print: "print", wasTheirs, commit };
      expect(sentBy(unansweredOn("2026-03-02", sent))).toEqual(sent);
    }
  expect(sentBy("2026-03-02")).toBeUndefined();
  expect(sentBy(undefined)).toBeUndefined();
});
