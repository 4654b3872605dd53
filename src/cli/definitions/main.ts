import { Option } from "commander";
import type { Define } from "../define.js";
import {
  withAllowances,
  withExamples,
  withFormat,
  withHost,
  withLedger,
  withPlainFormat,
  withReplay,
  withReports,
  withTargetNames,
  withTargets,
  withUnmanaged,
  withWrites,
} from "../options.js";

export const init: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("init"))
    .summary("Create a repository for the desired state")
    .description("Creates a git repository with plumbline.yaml, a CI file and a first commit, without overwriting existing files.")
    .argument("[folder]", "Folder to create the files in", ".")
    .option("--target <name>", "Name of the first target", "firewall")
    .option("--url <address>", "Address of the target; imports its configuration if PLUMBLINE_USER and PLUMBLINE_PASSWORD are set")
    .option("--xml <file>", "Import this exported configuration")
    .option("--ca <file>", "Certificate authority of the target (PEM); copied into the repository")
    .addOption(new Option("--ci <system>", "CI system to write a file for").choices(["github", "gitlab", "none"]).default("github"));
  withExamples(
    command,
    "tutorial",
    "init network --xml running-config.xml",
    "init network --url https://firewall.example.net --ci gitlab",
  ).action(lazily(async () => (await import("../commands/init.js")).init));
};

export const validate: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("validate"))
    .summary("Check the YAML files offline")
    .description("Checks every file of the desired state without network access or secrets.")
    .option("--strict", "Report names that no document declares as errors")
    .option("--names", "List the referenced names that only a target can resolve");
  withExamples(command, "desired-state", "validate", "validate --strict").action(
    lazily(async () => (await import("../commands/validate.js")).validate),
  );
};

export const plan: Define = (program, lazily) => {
  const command = program
    .command("plan")
    .summary("Show pending changes")
    .description("Shows the changes that `plumbline reconcile` would make, without writing to a target.");
  withReplay(
    withAllowances(withReports(withFormat(withUnmanaged(withTargets(command))))).option(
      "--out <file>",
      "Save the plan to this file for `plumbline apply`",
    ),
  );
  withExamples(command, "tutorial", "plan edge", "plan --out plan.json --report markdown=plan.md").action(
    lazily(async () => (await import("../commands/plan.js")).plan),
  );
};

export const reconcile: Define = (program, lazily) => {
  const command = program
    .command("reconcile")
    .summary("Apply pending changes and verify the result")
    .description("Makes the targets match the desired state: writes the changes, commits once and verifies the result.");
  withWrites(withFormat(withTargets(command))).option("-y, --yes", "Apply without asking; required if there is no terminal", false);
  withExamples(command, "tutorial", "reconcile", "reconcile edge --yes").action(
    lazily(async () => (await import("../commands/reconcile.js")).reconcile),
  );
};

export const drift: Define = (program, lazily) => {
  const command = program
    .command("drift")
    .summary("Show manual changes and their authors")
    .description("Shows changes that others made on the targets, with author and time.");
  withHost(withLedger(withReports(withFormat(withUnmanaged(withTargets(command))))))
    .option("--propose", "Create a branch and a pull request that accept the drift")
    .option("--no-push", "With --propose: create only a local branch")
    .option("--base <branch>", "With --propose: target branch of the pull request");
  withExamples(command, "on-call", "drift", "drift edge --propose").action(
    lazily(async () => (await import("../commands/drift.js")).drift),
  );
};

export const status: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("status"))
    .summary("Show the sync state of each target")
    .description("Shows the last comparison of each target by an agent, the last applied commit, locks and uncommitted changes.");
  withExamples(withTargetNames(command), "on-call", "status", "status edge --format json").action(
    lazily(async () => (await import("../commands/status.js")).status),
  );
};
