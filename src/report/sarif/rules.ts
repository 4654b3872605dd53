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
  empty: "matches nothing",
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
        full: "A guard refuses the plan.",
        help: "The message names the flag that overrides the guard once, if there is one.",
      };
    case "finding":
      return {
        short: `Finding: ${name}`,
        full: "The run found something on the target that needs attention.",
        help: "See the message and docs/contributing/lifecycle.md.",
      };
    case "audit":
      return {
        short: `Network service and controller disagree: ${name}`,
        full: "The network service and the controller do not show the same networks and subnets.",
        help: "See docs/investigate.md for the meaning of each difference.",
      };
    case "reachable":
      return {
        short: REACHABLE[name] ?? "Flows pass no more",
        full: "Flows that the change of rules allows or blocks.",
        help: "See docs/insight.md for the limits of such results.",
      };
    case "idle":
      return {
        short: "A rule has no effect",
        full: "No flow reaches the rule after the change, or it matches no flow.",
        help: "plumbline lint lists all such rules; see docs/insight.md.",
      };
    case "assertion":
      return {
        short: `An assertion ${ASSERTIONS[name] ?? "does not hold"}`,
        full: "An assertion of a document is broken or cannot be verified with the live rules.",
        help: "See docs/insight.md for how assertions are checked.",
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
