import type { TreeNode } from "../../../core/tree/node.js";
import { child } from "../state/system-facts.js";

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Whether a schedule holds at a time, in UTC as the lab's clock is. */
export function isWithin(schedule: TreeNode, now: number): boolean {
  if (Number.isNaN(now)) return false;
  const type = child(schedule, "schedule-type");
  const recurring = child(type, "recurring");
  const time = new Date(now).toISOString();
  const [minute, date] = [time.slice(11, 16), `${time.slice(0, 10).replaceAll("-", "/")}@${time.slice(11, 16)}`];
  const holds = (list: TreeNode | undefined, at: string): boolean =>
    list?.children.some(({ text }) => {
      const [from = "", to = ""] = text.split(/(?<=:\d\d)-/);
      return from <= at && at <= to;
    }) === true;
  return (
    holds(child(recurring, "daily"), minute) ||
    holds(child(child(recurring, "weekly"), DAYS[new Date(now).getUTCDay()] ?? ""), minute) ||
    holds(child(type, "non-recurring"), date)
  );
}
