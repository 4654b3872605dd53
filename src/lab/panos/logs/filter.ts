import { DeviceError } from "../device-error.js";
import type { LogRecord } from "./record.js";

type Test = (record: LogRecord) => boolean;

const SEVERITIES = ["informational", "low", "medium", "high", "critical"];
const TERM = /^\(?\s*([\w.-]+)\s+(eq|neq|geq|leq|contains)\s+(?:'([^']*)'|"([^"]*)"|([^\s()]+))\s*\)?$/;

/** Parses filters such as `( cmd eq delete ) and ( severity geq high )`. Throws code 17 for what it does not know. */
export function parseFilter(text: string): Test {
  if (text.trim() === "") return () => true;
  const anyOf = splitOn(text, "or").map((part) => splitOn(part, "and").map(parseTerm));
  return (record) => anyOf.some((allOf) => allOf.every((test) => test(record)));
}

function splitOn(text: string, word: "and" | "or"): string[] {
  return text.split(new RegExp(`\\)\\s+${word}\\s+\\(|(?<=\\S)\\s+${word}\\s+(?=\\()`, "i")).map((part) => part.trim());
}

function parseTerm(text: string): Test {
  const match = TERM.exec(text);
  if (match === null) throw new DeviceError("17", ` query -> ${text} is invalid`);
  const [, field = "", operator = ""] = match;
  const wanted = match[3] ?? match[4] ?? match[5] ?? "";
  return (record) => compare(record.get(field) ?? "", operator, wanted);
}

function compare(value: string, operator: string, wanted: string): boolean {
  switch (operator) {
    case "eq":
      return value === wanted;
    case "neq":
      return value !== wanted;
    case "contains":
      return value.includes(wanted);
    default: {
      const order = rank(value, wanted);
      return operator === "geq" ? order >= 0 : order <= 0;
    }
  }
}

function rank(value: string, wanted: string): number {
  const [left, right] = [SEVERITIES.indexOf(value), SEVERITIES.indexOf(wanted)];
  if (left >= 0 && right >= 0) return left - right;
  return value < wanted ? -1 : value > wanted ? 1 : 0;
}
