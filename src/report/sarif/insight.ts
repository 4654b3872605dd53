import { editText } from "../../outcome/edit.js";
import type { Command, TargetOutcome } from "../../outcome/outcome.js";
import { byText, formatScope, idleText, rowText } from "../insight.js";
import { sarifPlace } from "./location.js";
import type { Result } from "./sarif.js";

/** Returns flows that a change opens and closes, at the line of the rule that decides them after the change. */
export function insightResults(command: Command, outcome: TargetOutcome): Result[] {
  const { insight, target } = outcome;
  return (insight?.scopes ?? []).flatMap(({ scope: own, firewalls, edits, idle }) => {
    const [first] = firewalls ?? [];
    // The first firewall represents all firewalls with the same result, so that an additional firewall does not create a new finding.
    const scope = first === undefined ? own : `${own} ${first.serial}`;
    const words = formatScope({ scope: own, firewalls });
    return [
      ...idle.map(({ where: { file = "", line, column = 1 }, ...rule }): Result => {
        const place = sarifPlace(outcome, line === undefined ? undefined : { file, line, column });
        const message = `${target} ${words}: ${idleText({ ...rule, where: {} })}`;
        return { ruleId: `idle/${rule.kind}`, level: "warning", message, place, subject: `${target} ${scope} ${rule.rule}` };
      }),
      ...edits.flatMap(({ edit, rows }) =>
        rows.map((row): Result => {
          const places = [edit.where, ...[...row.now.rules, ...row.was.rules].map((rule) => rule.where)];
          const known = places.find(({ line: at }) => at !== undefined);
          const { file = "", line = 1, column = 1 } = known ?? {};
          return {
            ruleId: `reachable/${row.change}`,
            level: row.change === "closed" ? "note" : "warning",
            message: `${target} ${words}: ${[...rowText(row, edit), byText(edit)].join("; ")}`,
            place: sarifPlace(outcome, known === undefined ? undefined : { file, line, column }),
            subject: `${target} ${scope} ${command} ${editText(edit)} ${row.was.rules[0]?.name ?? ""} ${row.now.rules[0]?.name ?? ""}`,
          };
        }),
      ),
    ];
  });
}
