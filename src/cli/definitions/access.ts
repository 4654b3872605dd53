import { Option } from "commander";
import { REACH_FORMATS } from "../choices.js";
import type { Define } from "../define.js";
import { integerOption, withExamples, withHost, withLedger, withReplay } from "../options.js";

const ALLOW_HELP = `
An end is an address, a network, the name of an object, server or group, or a zone.
Without a target, each end is one address, or a name with one address (TARGET:NAME if several targets have it). Without --write or --propose, the design is only printed.

Exit codes: 0 already allowed, written or proposed · 1 error · 2 designed but not written, or it depends on unknown facts · 3 refused.`;

export const allow: Define = (program, lazily) => {
  const command = program
    .command("allow")
    .summary("Design the edit that allows a flow")
    .description("Shows whether a flow is allowed, and designs the smallest edit of the documents that allows exactly this flow.")
    .argument("[target]", "Name of a target (default: the targets on the path of the flow)")
    .option("--from <end>", "Source: address, network, object, server, group or zone")
    .option("--to <end>", "Destination: address, network, object, server, group or zone")
    .option("--service <service>", "Service: tcp/5432, udp/53 or a name")
    .option("--application <name>", "Application or application group, which firewalls need")
    .option("--user <name>", "User or user group (default: every user)")
    .option("--from-zone <zone>", "Zone of the source, if routes do not determine it")
    .option("--to-zone <zone>", "Zone of the destination, if routes do not determine it")
    .addOption(
      new Option(
        "--requests <file>",
        "CSV file of requests with the columns from, to, service, application, user, from-zone, to-zone",
      ).conflicts(["from", "to", "service", "application", "user", "fromZone", "toZone", "choose"]),
    )
    .requiredOption("--reason <text>", "Reason for the description of the rule, for example a ticket number")
    .option("--requester <name>", "Person who requests it, for the description of the rule")
    .option("--until <date>", "End date for the description of the rule (yyyy-mm-dd)")
    .option("--scope <name>", "Limit to this rulebase, for example vsys2")
    .option("--choose <n>", "Use this design instead of the first one", integerOption(1, 99))
    .option("--accept-excess", "Allow a design that opens more than the request", false)
    .option("--write", "Write the edit into the documents", false)
    .addOption(new Option("--propose", "Commit the edit to a branch and open a pull request").default(false).conflicts("write"))
    .option("--no-push", "With --propose: keep the branch local")
    .option("--base <branch>", "With --propose: target branch (default: the current branch)")
    .addOption(new Option("--format <format>", "Output format").choices(REACH_FORMATS).default("text"));
  withHost(withLedger(command)).addHelpText("after", ALLOW_HELP);
  withExamples(
    command,
    "access-requests",
    "allow edge --from web-01 --to db-01 --service tcp/5432 --application postgres --reason CHG-4711",
    "allow --requests requests.csv --reason CHG-4712 --until 2027-03-31 --propose",
  ).action(lazily(async () => (await import("../commands/allow.js")).allow));
};

const REVOKE_HELP = `
Finds every rule that lets the flow through, and removes members, narrows or removes these rules, or adds a deny rule above them.
Without --write or --propose, the design is only printed.

Exit codes: 0 already denied, written or proposed · 1 error · 2 designed but not written · 3 refused.`;

export const revoke: Define = (program, lazily) => {
  const command = program
    .command("revoke")
    .summary("Design the edit that closes a flow")
    .description("Shows which rules let a flow through, and designs the narrowest edit of the documents that closes exactly this flow.")
    .argument("[target]", "Name of a target. Omit it to close the flow on each target on its path")
    .requiredOption("--from <end>", "Source: address, network, object, server, group or zone")
    .requiredOption("--to <end>", "Destination: address, network, object, server, group or zone")
    .requiredOption("--service <service>", "Service: tcp/5432, udp/53 or a name")
    .option("--application <name>", "Application or application group", "any")
    .option("--user <name>", "User or user group (default: every user)")
    .option("--from-zone <zone>", "Zone of the source, if routes do not determine it")
    .option("--to-zone <zone>", "Zone of the destination, if routes do not determine it")
    .requiredOption("--reason <text>", "Reason for the commit and the description of a new rule, for example a ticket number")
    .option("--scope <name>", "Limit to this rulebase, for example vsys2")
    .option("--choose <n>", "Use this design instead of the first one", integerOption(1, 99))
    .option("--accept-excess", "Allow a design that closes more than the request", false)
    .option("--write", "Write the edit into the documents", false)
    .addOption(new Option("--propose", "Commit the edit to a branch and open a pull request").default(false).conflicts("write"))
    .option("--no-push", "With --propose: keep the branch local")
    .option("--base <branch>", "With --propose: target branch (default: the current branch)")
    .addOption(new Option("--format <format>", "Output format").choices(REACH_FORMATS).default("text"));
  withHost(withLedger(withReplay(command))).addHelpText("after", REVOKE_HELP);
  withExamples(
    command,
    "access-requests",
    "revoke edge --from web-01 --to db-01 --service tcp/22 --reason CHG-4713",
    "revoke edge --from web --to db --service tcp/5432 --reason CHG-4714 --replay 7d --propose",
  ).action(lazily(async () => (await import("../commands/revoke.js")).revoke));
};
