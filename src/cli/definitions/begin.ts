import { Argument, Option } from "commander";
import { SHELLS } from "../completion/scripts.js";
import type { Define } from "../define.js";
import { wholeNumber, withLedger, withPlainFormat } from "../options.js";

export const importConfiguration: Define = (program, lazily) => {
  withPlainFormat(program.command("import"))
    .description("write a live configuration as desired state")
    .argument("[target]", "a target of plumbline.yaml")
    .option("--xml <file>", "an exported configuration instead of a target")
    .requiredOption("--out <dir>", "folder to write; comments in files that are there are kept")
    .action(lazily(async () => (await import("../commands/import.js")).importCommand));
};

export const fmt: Define = (program, lazily) => {
  withPlainFormat(program.command("fmt"))
    .description("write documents and plumbline.yaml in one way; comments, order and meaning stay")
    .argument("[file...]", "only these; every document and plumbline.yaml when left out")
    .option("--check", "write nothing; exit 2 where a file is not as it should be")
    .action(lazily(async () => (await import("../commands/fmt.js")).fmt));
};

export const init: Define = (program, lazily) => {
  withPlainFormat(program.command("init"))
    .description("begin a desired state: a repository with its first commit, a CI file and an ignore file; writes over nothing")
    .argument("[folder]", "where; made where it is missing", ".")
    .option("--target <name>", "name of the first target", "firewall")
    .option("--url <address>", "its address; what it has is imported where PLUMBLINE_USER and PLUMBLINE_PASSWORD are set")
    .option("--xml <file>", "import this exported configuration")
    .addOption(new Option("--ci <system>", "whose CI file to write").choices(["github", "gitlab", "none"]).default("github"))
    .action(lazily(async () => (await import("../commands/init.js")).init));
};

export const adopt: Define = (program, lazily) => {
  const command = program
    .command("adopt")
    .description("note in the ledger that what is declared and there already is ours; writes nothing to the target");
  withPlainFormat(withLedger(command.argument("<target>")))
    .option("--path <xpath>", "only this subtree")
    .action(lazily(async () => (await import("../commands/adopt.js")).adopt));
};

export const lab: Define = (program, lazily) => {
  program
    .command("lab")
    .description("serve lab firewalls, and a cloud around them, on this machine: to try things without a device")
    .option("--from <file>", "a running configuration as XML: a twin of a device")
    .option("--port <port>", "first port; 0 takes a free one", wholeNumber(0, 65535), 8443)
    .option("--count <n>", "firewalls, on ports that follow each other", wholeNumber(1, 2000), 1)
    .option("--services <list>", "what to serve: firewall, verdict, identity, network, compute, controller", "firewall")
    .option("--verdict-port <port>", "of the verdict service; 8444 when left out, or a free one with --port 0", wholeNumber(0, 65535))
    .option("--ready-file <file>", "written when all ports answer, with ca.pem beside it")
    .option("--spec-only", "know only the calls of the specification, and answer as its text says", false)
    .option("--flows <file>", "traffic for the firewalls' logs, as JSON: see docs/errors/lab-flow-invalid.md")
    .action(lazily(async () => (await import("../commands/lab.js")).lab));
};

export const completion: Define = (program, lazily) => {
  program
    .command("completion")
    .description("print the script that completes commands in a shell; its first lines say where it goes")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action(lazily(async () => (await import("../commands/completion.js")).completion));
};

/** What those scripts ask. */
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
