import { Option } from "commander";
import { HISTORY_FORMATS, historyKinds } from "../../outcome/history.js";
import { LOG_COLUMNS } from "../../targets/panos/log-types.js";
import { GET_FORMATS, GET_VIEWS, LOG_FORMATS, VERDICT_FORMATS } from "../choices.js";
import type { Define } from "../define.js";
import {
  collect,
  oneOf,
  wholeNumber,
  withAllowances,
  withFormat,
  withHost,
  withLedger,
  withPlainFormat,
  withReports,
  withTargets,
} from "../options.js";

const LOGS_HELP = `
The newest records come first; with --follow the newest come last, and more as they arrive, until interrupted.
A filter is in the firewall's own language, for example "( severity geq high ) and ( action eq alert )".
Without --columns a table and CSV show the usual fields of the type, JSON shows all. With --follow, JSON is one record a line.`;

const GET_HELP = `
The expression is any of XPath 1.0 and is evaluated from the root element: "//entry[@name='web']", "count(shared/address/entry)".
YAML is desired state: save it as a document and it declares what was found. Secrets show as their label, in YAML as \${keep}.
One that begins with a plain path reads no more than that from the target. Finding nothing is no error: it is said, and exit 0.`;

const VERDICT_HELP = `
The service is named by --url or PLUMBLINE_VERDICT_URL (no public one is asked unless named), its key stands in
PLUMBLINE_VERDICT_KEY or in the file of --key-file, its certificate authority in --ca or PLUMBLINE_VERDICT_CA.
Verdicts are remembered in the state folder: benign for 7 days, malicious for 30, unknown for an hour; --fresh asks again.

Exit codes: 0 all are known and benign, 2 some are unknown or absent from the reply, 3 some are malicious or otherwise
bad, 1 no verdict could be had.`;

export const validate: Define = (program, lazily) => {
  withPlainFormat(program.command("validate"))
    .description("check every file of the desired state; needs no network and no secrets")
    .option("--names", "list the names that only the targets can know, with their places")
    .action(lazily(async () => (await import("../commands/validate.js")).validate));
};

export const lsp: Define = (program, lazily) => {
  program
    .command("lsp")
    .description("answer an editor: errors as you type, names to choose from, what a field takes (Language Server Protocol)")
    .option("--stdio", "by standard input and output, which is the only way")
    .action(lazily(async () => (await import("../commands/lsp.js")).lsp));
};

export const plan: Define = (program, lazily) => {
  const command = program.command("plan").description("show what reconcile would change; cannot write");
  withAllowances(withReports(withFormat(withTargets(command))))
    .option("--out <file>", "also write plan.json for `plumbline apply`")
    .option("--replay <since>", "say what would become of sessions that the target logged: 1h, 7d, or from a moment of its clock on")
    .option("--replay-records <n>", "the newest records of the log that are replayed", wholeNumber(1, 100_000_000), 200_000)
    .addOption(
      new Option(
        "--replay-from <source>",
        "where sessions are read: the target's log, or what agents kept of it, which is asked first",
      ).choices(["device", "store"]),
    )
    .action(lazily(async () => (await import("../commands/plan.js")).plan));
};

export const drift: Define = (program, lazily) => {
  const command = program.command("drift").description("show what was changed on targets by others, and by whom; cannot write to a target");
  withHost(withLedger(withReports(withFormat(withTargets(command)))))
    .option("--propose", "make a branch and a pull request that take the drift over")
    .option("--no-push", "with --propose: leave a local branch, push and open nothing")
    .option("--base <branch>", "with --propose: the branch that the pull request is for")
    .action(lazily(async () => (await import("../commands/drift.js")).drift));
};

export const status: Define = (program, lazily) => {
  withPlainFormat(program.command("status"))
    .description("show what each target says of itself")
    .argument("[target]")
    .action(lazily(async () => (await import("../commands/status.js")).status));
};

export const get: Define = (program, lazily) => {
  const command = program.command("get").description("find parts of a configuration by XPath; as YAML, XML or JSON");
  withLedger(command.argument("<xpath>"))
    .option("--target <name>", "only this target (repeatable)", collect, [])
    .addOption(new Option("--view <view>", "what to look at; desired needs no network").choices(GET_VIEWS).default("live"))
    .addOption(new Option("--format <format>", "how to print it").choices(GET_FORMATS).default("yaml"))
    .addHelpText("after", GET_HELP)
    .action(lazily(async () => (await import("../commands/get.js")).get));
};

export const explain: Define = (program, lazily) => {
  const command = program.command("explain").description("show which file and line declares a node, what is live, and who changed it last");
  withPlainFormat(withLedger(command.argument("<xpath>")))
    .option("--target <name>", "only this target")
    .action(lazily(async () => (await import("../commands/explain.js")).explain));
};

export const audit: Define = (program, lazily) => {
  const command = program.command("audit").description("compare the cloud's networks with the controller's; cannot write");
  withReports(withFormat(command))
    .option("--target <name>", "only this controller or cloud (repeatable)", collect, [])
    .action(lazily(async () => (await import("../commands/audit.js")).audit));
};

export const history: Define = (program, lazily) => {
  program
    .command("history")
    .description("show what the agent saw and did, newest first; also while it runs")
    .argument("[target]")
    .option("--since <time>", 'from then on: 15m, 2h, 1d ago, or a moment in UTC, "2026-01-05 08:00"')
    .option("--until <time>", "up to then")
    .option("--path <xpath>", "only at or below this node")
    .option("--author <name>", "only what this administrator or author did")
    .option("--kind <kind>", `only rows of this kind (repeatable): ${historyKinds.join(", ")}`, oneOf(historyKinds), [])
    .option("--all", "also passes that were skipped because nothing had moved", false)
    .option("--limit <n>", "rows at most", wholeNumber(1, 999_999), 50)
    .option("--cursor <cursor>", "older rows: what the page before ended with")
    .addOption(new Option("--format <format>", "how to print them").choices(HISTORY_FORMATS).default("text"))
    .action(lazily(async () => (await import("../commands/history.js")).history));
};

export const logs: Define = (program, lazily) => {
  program
    .command("logs")
    .description("show a firewall's logs")
    .argument("<target>")
    .addOption(new Option("--type <type>", "which log").choices([...LOG_COLUMNS.keys()]).makeOptionMandatory())
    .option("--query <filter>", "only records that pass this filter")
    .option("--since <time>", 'only newer ones: 15m, 2h, 1d, 1w, or a moment of the firewall\'s clock, "2026-01-05 08:00"')
    .option("--follow", "show what arrives, too", false)
    .option("--count <n>", "records at most, of those that are there", wholeNumber(1, 9_999_999), 20)
    .option("--columns <fields>", "fields to show, separated by commas")
    .addOption(new Option("--format <format>", "how to print them").choices(LOG_FORMATS).default("table"))
    .addHelpText("after", LOGS_HELP)
    .action(lazily(async () => (await import("../commands/logs.js")).logs));
};

export const verdict: Define = (program, lazily) => {
  program
    .command("verdict")
    .description("ask the file-verdict service about files, by their hashes")
    .argument("[hash...]", "MD5 or SHA-256")
    .option("--list <file>", "a hash at the beginning of each line, as sha256sum writes them (repeatable)", collect, [])
    .option("--path <file...>", "files to compute the SHA-256 of", [])
    .option("--url <url>", "the service's address, before /publicapi")
    .option("--key-file <file>", "holds the service's key")
    .option("--ca <file>", "certificate authority as PEM")
    .option("--pin <pin>", "sha256/BASE64 of the public key, or sha256:HEX of the certificate")
    .option("--insecure", "do not verify the certificate")
    .option("--plaintext", "send the key by plain http, where anybody on the way can read it")
    .option("--fresh", "ask again for what is remembered, too", false)
    .option("--allotment <n>", "queries a day that the account may make", wholeNumber(1))
    .addOption(new Option("--format <format>", "how to print the report").choices(VERDICT_FORMATS).default("text"))
    .addHelpText("after", VERDICT_HELP)
    .action(lazily(async () => (await import("../commands/verdict.js")).verdict));
};

export const report: Define = (program, lazily) => {
  const command = program.command("report").description("write a page of all targets; cannot write to a target");
  withPlainFormat(withLedger(withTargets(command)))
    .requiredOption("--html <dir>", "folder for index.html, which needs no server, and report.json")
    .action(lazily(async () => (await import("../commands/report.js")).report));
};
