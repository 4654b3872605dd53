import { Option } from "commander";
import { HISTORY_FORMATS, historyKinds } from "../../outcome/history.js";
import { LOG_COLUMNS } from "../../targets/panos/log-types.js";
import { GET_FORMATS, GET_VIEWS, LOG_FORMATS } from "../choices.js";
import type { Define } from "../define.js";
import { integerOption, oneOf, withExamples, withFormat, withLedger, withPlainFormat, withReports, withTargetNames } from "../options.js";

const GET_HELP = `
The expression is XPath 1.0, evaluated from the root element. YAML output can be saved as a desired-state document.
Secrets appear as labels, or as \${keep} in YAML. An empty result exits with 0.`;

const LOGS_HELP = `
Filters use the firewall's own language, for example "( severity geq high ) and ( action eq alert )".
Records appear newest first; with --follow they appear in order of arrival until you interrupt the command.`;

export const explain: Define = (program, lazily) => {
  const command = program
    .command("explain")
    .summary("Show the source, live value and last author of a node")
    .description("Shows the file and line that declare a node, its live value, and the last change to it.");
  withTargetNames(command.argument("<xpath>", "XPath of the node, or an XPath 1.0 expression that selects nodes"));
  withPlainFormat(withLedger(command));
  withExamples(
    command,
    "on-call",
    `explain "/config/shared/address/entry[@name='db-01']"`,
    `explain "//address/entry[@name='db-01']" edge`,
  ).action(lazily(async () => (await import("../commands/explain.js")).explain));
};

export const get: Define = (program, lazily) => {
  const command = program
    .command("get")
    .summary("Query configurations with XPath")
    .description("Evaluates an XPath expression on the live, running or desired configuration.");
  withLedger(withTargetNames(command.argument("<xpath>", "XPath 1.0 expression")))
    .addOption(new Option("--view <view>", "Configuration to query; desired needs no network").choices(GET_VIEWS).default("live"))
    .addOption(new Option("--format <format>", "Output format").choices(GET_FORMATS).default("yaml"))
    .addHelpText("after", GET_HELP);
  withExamples(
    command,
    "investigate",
    `get "//address/entry[@name='db-01']"`,
    `get "count(shared/address/entry)" edge --view desired`,
  ).action(lazily(async () => (await import("../commands/get.js")).get));
};

export const history: Define = (program, lazily) => {
  const command = program
    .command("history")
    .summary("Show the agent's past runs and changes")
    .description("Shows events that the agent recorded, newest first.")
    .argument("[target]", "Name of a target (default: all)")
    .option("--since <time>", 'Start time: an age such as 15m, 2h or 1d, or a UTC time such as "2026-01-05 08:00"')
    .option("--until <time>", "End time, in the same format")
    .option("--path <xpath>", "Limit to this node and its children")
    .option("--author <name>", "Limit to this administrator or commit author")
    .option("--kind <kind>", `Limit to this kind of event (repeatable): ${historyKinds.join(", ")}`, oneOf(historyKinds), [])
    .option("--all", "Include passes that were skipped because there was no change", false)
    .option("--all-repositories", "Include events of other repositories whose agents use the same store", false)
    .option("--limit <n>", "Maximum number of events", integerOption(1, 999_999), 50)
    .option("--cursor <cursor>", "Continue from the cursor at the end of the previous page")
    .addOption(new Option("--format <format>", "Output format").choices(HISTORY_FORMATS).default("text"));
  withExamples(command, "history", "history edge --since 1d", "history --kind drift --author mkovacs").action(
    lazily(async () => (await import("../commands/history.js")).history),
  );
};

export const logs: Define = (program, lazily) => {
  const command = program
    .command("logs")
    .summary("Show firewall logs")
    .description("Shows records of a firewall's log.")
    .argument("<target>", "Name of a target")
    .addOption(new Option("--type <type>", "Log type").choices([...LOG_COLUMNS.keys()]).makeOptionMandatory())
    .option("--query <filter>", "Show only records that match this filter")
    .option("--since <time>", 'Start time: an age such as 15m, 2h or 1d, or a time on the firewall\'s clock such as "2026-01-05 08:00"')
    .option("--follow", "Print new records as they arrive", false)
    .option("--count <n>", "Maximum number of existing records", integerOption(1, 9_999_999), 20)
    .option("--columns <fields>", "Fields to show, separated by commas")
    .addOption(new Option("--format <format>", "Output format").choices(LOG_FORMATS).default("table"))
    .addHelpText("after", LOGS_HELP);
  withExamples(
    command,
    "investigate",
    "logs edge --type traffic --since 1h",
    `logs edge --type threat --query "( severity geq high )" --follow`,
  ).action(lazily(async () => (await import("../commands/logs.js")).logs));
};

export const audit: Define = (program, lazily) => {
  const command = program
    .command("audit")
    .summary("Compare OpenStack networks with Contrail networks")
    .description("Compares the networks and subnets of OpenStack with those in Contrail.");
  withReports(withFormat(withTargetNames(command)));
  withExamples(command, "investigate", "audit", "audit fabric --format json").action(
    lazily(async () => (await import("../commands/audit.js")).audit),
  );
};
