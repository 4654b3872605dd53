import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { isOver, readPushJob, resultsOf } from "../../../../src/targets/panos/push/push-job.js";

/** A firewall of a job as recorded: blanks, and the two letters `\n` between the elements of `msg`, as a client wrote them down. */
const row = (serial: string, status: string, result: string, errors: readonly string[], warnings: readonly string[] = []): string => {
  const lines = (all: readonly string[]) => all.map((line) => `\n\t\t\t\t\t\t\t\t<line>${line}</line>\\n    `).join("");
  const said = `<msg cmd="push-data" dname="${serial}" dgname="Lab" jobid="123" result="success">\\n
\t\t\t\t\t\t\t<errors>${errors.length > 0 ? "\\n    " : ""}${lines(errors)}
\t\t\t\t\t\t\t</errors>\\n  
\t\t\t\t\t\t\t<warnings>\\n    ${lines(warnings)}
\t\t\t\t\t\t\t</warnings>\\n
\t\t\t\t\t\t</msg>`;
  const fields = {
    "serial-no": serial,
    devicename: "PA-VM",
    "multi-vsys": "no",
    vsys: "",
    status,
    result,
    tstart: "05:45:03",
    tfin: "05:45:49",
  };
  const rows = Object.entries(fields).map(([tag, value]) => `\n\t\t\t\t\t<${tag}>${value}</${tag}>`);
  return `\n\t\t\t\t<entry>${rows.join("")}\n\t\t\t\t\t<details>\n\t\t\t\t\t\t${said}\n\t\t\t\t\t</details>\n\t\t\t\t</entry>`;
};

const job = (devices: string, more: Readonly<Record<string, string>> = {}) => {
  const { status = "FIN", result = "OK", tfin = "05:45:03", progress = "100", details = "" } = more;
  return readPushJob(
    parseXml(`<job>
			<tenq>2022/08/18 05:45:03</tenq>
			<tdeq>05:45:03</tdeq>
			<id>123</id>
			<user>api</user>
			<type>CommitAll</type>
			<status>${status}</status>
			<queued>NO</queued>
			<stoppable>no</stoppable>
			<result>${result}</result>
			<tfin>${tfin}</tfin>
			<description></description>
			<positionInQ>0</positionInQ>
			<progress>${progress}</progress>
			<push_type>shared-policy</push_type>
			<dgname>Lab</dgname>
			<warnings></warnings>${details}${devices}
		</job>`),
  );
};
const devices = (...rows: readonly string[]) => `
			<devices>${rows.join("")}
			</devices>`;
const words = (state: ReturnType<typeof job>, ...serials: readonly string[]) =>
  resultsOf(state, serials).map(({ serial, result, lines }) => [serial, result, ...lines].join(" | "));

const DUPLICATE = [
  "Validation Error:",
  " address -> a-1 'a-1' is already in use",
  " address is invalid",
  "vsys1",
  "    Error: Duplicate address name 'a-1'",
  "(Module: device)",
  "client device phase 1 failure",
  "Commit failed",
];

describe("the job of a push, in recorded forms", () => {
  it("contains the result of each firewall: the texts of success are among the errors", () => {
    const state = job(
      devices(
        row(
          "1",
          "commit succeeded with warnings",
          "OK",
          ["Configuration committed successfully"],
          ["Interface loopback.645 has no zone configuration."],
        ),
        row("2", "commit failed", "FAIL", DUPLICATE),
      ),
    );
    expect(isOver(state)).toBe(true);
    expect(words(state, "1", "2", "3")).toEqual([
      "1 | ok | Configuration committed successfully",
      `2 | failed | ${DUPLICATE.map((line) => line.trim()).join(" | ")}`,
      "3 | missing",
    ]);
  });

  it("is not finished while a firewall has only been sent it, or has an unknown text", () => {
    for (const result of ["PEND", "", "WARN"]) {
      const state = job(devices(row("1", "config sent to device", result, []), row("2", "commit succeeded", "OK", [])));
      expect(isOver(state)).toBe(false);
      expect(words(state, "1", "2")).toEqual(["1 | unknown", "2 | ok"]);
    }
  });

  it.each(["FAIL", "PEND", "OK", ""])("uses the status of a disconnected firewall, with %j next to it", (result) => {
    const state = job(devices(row("1", "not connected", result, [])));
    expect([isOver(state), words(state, "1")]).toEqual([true, ["1 | not connected"]]);
  });

  it("has no firewall while it is active, whatever its end time contains", () => {
    for (const tfin of ["Still Active", ""]) {
      const state = job("", { status: "ACT", result: "PEND", tfin, progress: "69", details: "<details></details>" });
      expect([isOver(state), state.percent, state.finished, words(state, "1")]).toEqual([false, 69, undefined, ["1 | unknown"]]);
    }
  });

  it("reached no firewall if it has ended and lists none", () => {
    expect(words(job(devices()), "1")).toEqual(["1 | missing"]);
    expect(words(job(""), "1")).toEqual(["1 | missing"]);
  });

  it.each([
    ["FAIL", "<details><line>Commit-all failed</line></details>", "1 | failed | Commit-all failed"],
    ["CANC", "", "1 | failed | the manager reports CANC for its job"],
    ["CANC", "<details><line>Job was stopped by user</line></details>", "1 | failed | Job was stopped by user"],
    ["", "", "1 | failed | the manager reports no result for its job"],
  ])("did not push where it is over with %j", (result, details, wanted) => {
    expect(words(job("", { result, details }), "1")).toEqual([wanted]);
  });

  it("accepts the details of a firewall as text, too", () => {
    const entry =
      "<entry><serial-no>1</serial-no><status>commit failed</status><result>FAIL</result><details>Commit failed</details></entry>";
    expect(words(job(devices(entry)), "1")).toEqual(["1 | failed | Commit failed"]);
  });
});
