import { Argument, Option } from "commander";
import { VERDICT_FORMATS } from "../choices.js";
import { SHELLS } from "../completion/scripts.js";
import type { Define } from "../define.js";
import {
  collect,
  hideOptions,
  integerOption,
  withExamples,
  withHost,
  withLedger,
  withPlainFormat,
  withTargets,
  withWrites,
} from "../options.js";

const VERDICT_HELP = `
Set the service with --url or PLUMBLINE_VERDICT_URL, its key with PLUMBLINE_VERDICT_KEY or --key-file, and its
certificate authority with --ca or PLUMBLINE_VERDICT_CA. Verdicts are cached in the state folder: benign for 7 days,
malicious for 30 days, unknown for an hour.

Exit codes: 0 all benign · 1 no verdict · 2 some unknown or missing · 3 some malicious.`;

export const importConfiguration: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("import"))
    .summary("Write a live configuration as YAML")
    .description("Writes the configuration of a target or of an XML export as desired-state documents.")
    .argument("[target]", "Name of a target in plumbline.yaml")
    .option("--xml <file>", "Import this exported configuration instead of a target")
    .option("--path <xpath>", "Import only this subtree, into a folder without documents of the target")
    .requiredOption("--out <dir>", "Output folder; comments in existing files are preserved");
  withExamples(command, "desired-state", "import edge --out edge", "import --xml running-config.xml --out edge").action(
    lazily(async () => (await import("../commands/import.js")).importCommand),
  );
};

export const fmt: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("fmt"))
    .summary("Format the YAML files")
    .description("Formats documents and plumbline.yaml in the standard style; comments and order are preserved.")
    .argument("[file...]", "Files to format (default: all documents and plumbline.yaml)")
    .option("--check", "Write no file; exit with 2 if a file needs formatting");
  withExamples(command, "desired-state", "fmt", "fmt --check").action(lazily(async () => (await import("../commands/fmt.js")).fmt));
};

export const doctor: Define = (program, lazily) => {
  const command = program
    .command("doctor")
    .summary("Show the capabilities of a target")
    .description("Shows the system information and capabilities of a target, and optionally tests them in an empty virtual system.")
    .argument("<target>", "Name of a target")
    .option("--try-in <vsys>", "Write test changes to this empty virtual system under a lock and revert them; no commit");
  withExamples(
    withPlainFormat(hideOptions(withWrites(command), "--allow", "--rotate")),
    "tutorial",
    "doctor edge",
    "doctor edge --try-in vsys9",
  ).action(lazily(async () => (await import("../commands/doctor.js")).doctor));
};

export const lab: Define = (program, lazily) => {
  const command = program
    .command("lab")
    .summary("Run simulated firewalls and cloud services locally")
    .description("Serves simulated firewalls and, optionally, a cloud and a controller on this machine.")
    .option("--from <file>", "Running configuration as XML; the firewall becomes a lab copy of that device")
    .option("--port <port>", "First port; 0 selects a free port", integerOption(0, 65535), 8443)
    .option("--count <n>", "Number of firewalls, on consecutive ports", integerOption(1, 2000), 1)
    .option("--services <list>", "Services to run: firewall, verdict, identity, network, compute, controller", "firewall")
    .option("--verdict-port <port>", "Port of the verdict service (default: 8444, or a free port with --port 0)", integerOption(0, 65535))
    .option("--ready-file <file>", "File to write when all services are ready, with ca.pem in the same folder")
    .option("--spec-only", "Support only the calls that the vendor's specification documents", false)
    .option("--flows <file>", "JSON file with traffic for the firewall logs (docs/investigate.md)");
  withExamples(command, "tutorial", "lab --from running-config.xml", "lab --count 3 --services firewall,identity,network,compute").action(
    lazily(async () => (await import("../commands/lab.js")).lab),
  );
};

export const lsp: Define = (program, lazily) => {
  const command = program
    .command("lsp")
    .summary("Run the language server for editors")
    .description("Runs a Language Server Protocol server that completes and checks documents in an editor.")
    .option("--stdio", "Use standard input and output (the only transport)");
  withExamples(command, "editor", "lsp", "lsp --stdio").action(lazily(async () => (await import("../commands/lsp.js")).lsp));
};

export const schema: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("schema"))
    .summary("Write the JSON schemas for editors")
    .description("Writes the JSON schemas of this version to schemas/ next to plumbline.yaml.")
    .option("--out <dir>", "Output folder");
  withExamples(command, "editor", "schema", "schema --out schemas").action(
    lazily(async () => (await import("../commands/schema.js")).schema),
  );
};

export const completion: Define = (program, lazily) => {
  const command = program
    .command("completion")
    .summary("Print a shell completion script")
    .description("Prints a completion script for a shell, with installation instructions in its first lines.")
    .addArgument(new Argument("<shell>", "Shell").choices(SHELLS));
  withExamples(command, "commands", "completion bash", "completion fish").action(
    lazily(async () => (await import("../commands/completion.js")).completion),
  );
};

/** Called by the completion scripts. */
export const complete: Define = (program, lazily) => {
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(
      lazily(async () => {
        const { complete: answer } = await import("../commands/completion.js");
        return (flags, context, words) => answer(program, flags, context, words);
      }),
    );
};

export const report: Define = (program, lazily) => {
  const command = program
    .command("report")
    .summary("Write an HTML report of all targets")
    .description("Writes an HTML report of all targets that needs no server.");
  withPlainFormat(withLedger(withTargets(command))).requiredOption("--html <dir>", "Output folder for index.html and report.json");
  withExamples(command, "page", "report --html report", "report edge --html report").action(
    lazily(async () => (await import("../commands/report.js")).report),
  );
};

export const verdict: Define = (program, lazily) => {
  const command = program
    .command("verdict")
    .summary("Look up files in the verdict service")
    .description("Looks up files in the verdict service by their hashes.")
    .argument("[hash...]", "MD5 or SHA-256 hashes")
    .option("--list <file>", "File with one hash at the start of each line, as sha256sum writes it (repeatable)", collect, [])
    .option("--path <file...>", "Files to compute the SHA-256 hash of", [])
    .option("--url <url>", "Address of the service, without /publicapi")
    .option("--key-file <file>", "File with the key of the service")
    .option("--ca <file>", "Certificate authority in PEM format")
    .option("--pin <pin>", "Pinned public key (sha256/BASE64) or certificate (sha256:HEX)")
    .option("--insecure", "Skip certificate verification")
    .option("--plaintext", "Send the key over unencrypted HTTP")
    .option("--fresh", "Ignore cached verdicts", false)
    .option("--allotment <n>", "Maximum number of queries per day", integerOption(1))
    .addOption(new Option("--format <format>", "Output format").choices(VERDICT_FORMATS).default("text"))
    .addHelpText("after", VERDICT_HELP);
  withExamples(command, "investigate", "verdict --path firmware.bin", "verdict --list SHA256SUMS --format json").action(
    lazily(async () => (await import("../commands/verdict.js")).verdict),
  );
};

export const pr: Define = (program, lazily) => {
  const parent = program
    .command("pr")
    .summary("Post a report to a pull request")
    .description("Posts a report to a pull request.")
    .helpCommand("help [command]", "Show help for a command");
  const comment = withPlainFormat(withHost(parent.command("comment")))
    .summary("Create or update a comment with a Markdown report")
    .description("Creates or updates one comment of a pull request with a Markdown report.")
    .option("--file <plan.md>", "Markdown file to post (default: standard input)")
    .option("--pr <number>", "Number of the pull request (detected in CI)")
    .option("--name <name>", "Name that identifies the comment if there are several", "plan");
  withExamples(comment, "pull-requests", "pr comment --file plan.md", "pr comment --pr 42 --name drift --file drift.md").action(
    lazily(async () => (await import("../commands/pr.js")).pr),
  );
  withExamples(parent, "pull-requests", "pr comment --file plan.md", "plan --format markdown | plumbline pr comment");
};
