import { type Command, Option } from "commander";
import { REACH_FORMATS, REACH_VIEWS } from "../choices.js";
import type { Define } from "../define.js";
import { collect, integerOption, withExamples, withHost, withLedger, withTargetNames } from "../options.js";

const REACH_HELP = `
Flow options can be repeated; an omitted option matches any value. An address is a literal or the name of an object or group.

Exit codes: 0 success · 1 error · 2 result differs from --expect, or is undecided.`;

const EXPECTED = ["arrives", "stopped"];

const LINT_HELP = `
Findings are rules that match no traffic, rules that earlier rules shadow, redundant rules, and rules after their end date.

Exit codes: 0 no findings · 1 error · 2 findings. With --fix: 0 nothing to remove, written or proposed · 2 not written · 3 refused.`;

export const reach: Define = (program, lazily) => {
  const command = program
    .command("reach")
    .summary("Show which rules decide a flow")
    .description("Shows which rules allow or deny the given flows, and under which conditions.")
    .argument("<target>", "Name of a target");
  const flows = [
    ["--from <zone>", "Source zone; in a cloud: a group, port or server"],
    ["--to <zone>", "Destination zone; in a cloud: a group, port or server"],
    ["--source <address>", "Source address, network or name"],
    ["--destination <address>", "Destination address, network or name"],
    ["--service <service>", "Service: tcp/443, udp/53, icmp or a name"],
    ["--application <name>", "Application or application group"],
  ] as const;
  for (const [flag, description] of flows) command.option(flag, description, collect, []);
  command
    .addOption(new Option("--as-sent", "Trace one flow before NAT through routes, NAT and rules of the target").conflicts("wholePath"))
    .option("--whole-path", "Trace one flow from this target through all groups, routers and firewalls")
    .option("--through <target>", "With --whole-path: limit the path to this target and the first one (repeatable)", collect, [])
    .addOption(
      new Option("--expect <end>", "Exit with 2 unless the flow ends this way on every path; implies --whole-path")
        .choices(EXPECTED)
        .implies({ wholePath: true }),
    );
  withExamples(
    withRuleOptions(command).addHelpText("after", REACH_HELP),
    "insight",
    "reach edge --from web --to db --service tcp/5432",
    "reach cloud --whole-path --source web-01 --destination cloud:db-01 --service tcp/5432",
  ).action(lazily(async () => (await import("../commands/reach.js")).reach));
};

export const lint: Define = (program, lazily) => {
  const command = program
    .command("lint")
    .summary("Find rules that have no effect")
    .description("Finds rules that are never reached or have no effect.");
  withRuleOptions(withTargetNames(command))
    .option("--unused <since>", "Also report rules without sessions for this long, for example 90d or 12w")
    .addOption(
      new Option("--fix", "Remove these rules from the documents, as the state after apply has them").default(false).conflicts("view"),
    )
    .option("--disable", "With --fix: disable the rules, and remove them in a later run", false)
    .option("--delete-after <days>", "With --fix: remove rules that --disable disabled this many days ago", integerOption(0, 9999), 30)
    .option("--accept-excess", "With --fix: also remove unused rules whose removal opens flows", false)
    .option("--write", "With --fix: write the edit into the documents", false)
    .addOption(
      new Option("--propose", "With --fix: commit the edit to a branch and open a pull request for each target")
        .default(false)
        .conflicts("write"),
    )
    .option("--no-push", "With --propose: keep the branch local")
    .option("--base <branch>", "With --propose: target branch (default: the current branch)");
  withHost(withLedger(command)).addHelpText("after", LINT_HELP);
  withExamples(command, "insight", "lint edge --unused 90d", "lint edge --fix --unused 90d --disable --propose").action(
    lazily(async () => (await import("../commands/reach.js")).lint),
  );
};

function withRuleOptions(command: Command): Command {
  return command
    .option("--scope <name>", "Limit to this rulebase, for example vsys2")
    .addOption(
      new Option("--view <view>", "Rules to analyse: running, or with uncommitted changes").choices(REACH_VIEWS).default("running"),
    )
    .addOption(new Option("--format <format>", "Output format").choices(REACH_FORMATS).default("text"));
}
