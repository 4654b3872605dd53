import type { Command } from "../../outcome/outcome.js";
import { errorReference } from "../error-reference/all.js";

export type Level = "error" | "warning" | "note";

interface Words {
  readonly short: string;
  readonly full: string;
  readonly help: string;
}

const CHANGES: Readonly<Record<string, string>> = {
  missing: "is declared and not there",
  extra: "is there and not declared",
  differs: "has another value than the declared one",
  order: "is in a different order than the declared one",
  renamed: "is there under its former name",
  unmanaged: "is a rule that no document declares, in a rulebase with declared rules",
};

const REACHABLE: Readonly<Record<string, string>> = { opened: "Flows pass from now on", redirected: "Flows come to another place" };
const ASSERTIONS: Readonly<Record<string, string>> = {
  broken: "is broken",
  unknown: "is not known to hold",
  empty: "asks about nothing",
};

/** Returns a rule in the format of code hosts: id, three texts and the default severity. */
export function ruleOf(id: string, level: Level) {
  const { short, full, help } = wordsOf(id);
  return {
    id,
    shortDescription: { text: short },
    fullDescription: { text: full },
    help: { text: help },
    defaultConfiguration: { level },
  };
}

function wordsOf(id: string): Words {
  const [family = "", name = ""] = id.split("/");
  switch (family) {
    case "refused":
      return {
        short: `Refused by the guard ${name}`,
        full: "The plan is not applied as it stands.",
        help: "Read the message: it names the flag that lets the plan pass once, where there is one.",
      };
    case "finding":
      return {
        short: `Finding: ${name}`,
        full: "Something was seen on the target that is not a change of ours.",
        help: "Read the message. docs/lifecycle.md tells what a pass looks at.",
      };
    case "audit":
      return {
        short: `Network service and controller disagree: ${name}`,
        full: "The network service and the controller do not show the same networks and subnets.",
        help: "See plumbline audit and docs/audit.md: it tells which side is wrong in which case.",
      };
    case "reachable":
      return {
        short: REACHABLE[name] ?? "Flows pass no more",
        full: "What the change of rules lets through, or stops, by all rules that are live.",
        help: "docs/insight.md tells what such a result promises.",
      };
    case "idle":
      return {
        short: "A rule decides nothing",
        full: "After the change no flow is left to the rule, or it matches nothing.",
        help: "plumbline lint names all such rules; docs/insight.md tells what a finding promises.",
      };
    case "assertion":
      return {
        short: `An assertion ${ASSERTIONS[name] ?? "does not hold"}`,
        full: "What a document asserts of flows is not known to be true by the rules that are live.",
        help: "docs/insight.md tells how assertions are judged.",
      };
    case "error":
      return {
        short: `Error ${name}`,
        full: plain(errorReference[name]?.meaning ?? "The target could not be planned."),
        help: `${plain(errorReference[name]?.next ?? "")} See docs/errors.md#${name}`.trim(),
      };
    default:
      return {
        short: `A node ${CHANGES[name] ?? "differs"}`,
        full: `The live configuration and the desired state differ: a node ${CHANGES[name] ?? "differs"}.`,
        help: helpOf(family as Command),
      };
  }
}

/** Removes Markdown links: their targets are relative to `docs/`. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");
}

function helpOf(command: Command): string {
  return command === "drift"
    ? "Reconcile, or take the change over with plumbline drift --propose."
    : "Merge to have it applied by the next reconcile.";
}
