import { Option } from "commander";
import type { Define } from "../define.js";
import { collect, withExamples, withFormat, withLedger, withPlainFormat, withTargets, withWrites } from "../options.js";

export const apply: Define = (program, lazily) => {
  const command = program
    .command("apply")
    .summary("Apply a saved plan")
    .description("Applies exactly the changes of a plan that `plumbline plan --out` saved, and verifies the result.")
    .argument("<plan.json>", "Saved plan");
  withExamples(withWrites(withFormat(command)), "concepts", "apply plan.json", "apply plan.json --allow deletes=45%").action(
    lazily(async () => (await import("../commands/reconcile.js")).apply),
  );
};

export const rollback: Define = (program, lazily) => {
  const command = withPlainFormat(withWrites(withTargets(program.command("rollback").argument("<commit>", "Commit to revert"))))
    .summary("Revert a commit in git and, optionally, on the targets")
    .description("Creates a git commit that reverts another commit, after checking that the result is valid.")
    .option("--push", "Push the new commit to the current branch")
    .option("--reconcile", "Reconcile the targets afterwards, including firewalls that a manager pushed the commit to")
    .option("-y, --yes", "With --reconcile: apply without asking; required if there is no terminal", false);
  withExamples(command, "on-call", "rollback 4f2a91c", "rollback HEAD --push --reconcile").action(
    lazily(async () => (await import("../commands/rollback.js")).rollback),
  );
};

export const pause: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("pause"))
    .summary("Block all runs from writing to targets")
    .description("Blocks every run and agent from writing to targets until you resume them.")
    .argument("[target...]", "Names of targets");
  withLedger(
    command
      .option("--all", "Pause every target")
      .requiredOption("--reason <text>", "Reason to show to other users")
      .option("--for <time>", "Duration, for example 2h (default: until resumed)")
      .option("--wait <time>", "Maximum time to wait for a run that is already writing (default: 2m)")
      .option("--by <name>", "Your name (default: your login)"),
  );
  withExamples(command, "on-call", 'pause edge --reason "maintenance" --for 2h', 'pause --all --reason "incident 4711"').action(
    lazily(async () => (await import("../commands/pause.js")).pause),
  );
};

export const resume: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("resume"))
    .summary("End a pause")
    .description("Ends pauses, so that runs and agents can write to the targets again.")
    .argument("[target...]", "Names of targets");
  withLedger(
    command
      .option("--all", "End the pause of every target")
      .option("--sign-key <file>", "Sign with this SSH key, so that agents on other machines resume too"),
  );
  withExamples(command, "on-call", "resume edge core", "resume --all --sign-key ~/.ssh/id_ed25519").action(
    lazily(async () => (await import("../commands/pause.js")).resume),
  );
};

export const approve: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("approve"))
    .summary("Approve a plan for a target that requires approval")
    .description("Approves the plan with the given digest for a target that has `approve: required`.")
    .argument("<target>", "Name of a target")
    .argument("<digest>", "Digest of the plan; 12 characters are enough for a plan that the agent made");
  withLedger(
    command
      .option("--by <name>", "Your name (default: your login)")
      .option("--from <address>", "Link to the approval, for example to a pull request")
      .option("--sign-key <file>", "Sign with this SSH key, so that agents on other machines accept it"),
  );
  withExamples(
    command,
    "agent",
    "approve edge 5d2ccc806fe9",
    "approve edge 5d2ccc806fe9 --from https://git.example.net/network/pulls/42",
  ).action(lazily(async () => (await import("../commands/pause.js")).approve));
};

export const adopt: Define = (program, lazily) => {
  const command = program
    .command("adopt")
    .summary("Take ownership of live objects that match the YAML")
    .description("Records in the ledger that Plumbline manages the declared objects that already exist, without changing the target.")
    .argument("<target>", "Name of a target");
  withPlainFormat(withLedger(command))
    .option("--path <xpath>", "Limit to this subtree")
    .option("--allow <guard[=value]>", "Override a guard once; the refusal prints the value (repeatable)", collect, []);
  withExamples(command, "ownership", "adopt edge", "adopt edge --path /config/shared/address").action(
    lazily(async () => (await import("../commands/adopt.js")).adopt),
  );
};

export const ledger: Define = (program, lazily) => {
  const command = withPlainFormat(withLedger(program.command("ledger")))
    .summary("List, rename, move or forget ledgers")
    .description("Lists the ledgers of this repository and moves them when a target, the owner or the place of ledgers changes.")
    .argument("<action>", "list, rename OLD NEW, hand-over FROM-OWNER, move FROM-PLACE or forget TARGET")
    .argument("[names...]", "Names for the action")
    .option("--owner <name>", "With list: show the ledgers of this owner");
  withExamples(command, "ownership", "ledger list", "ledger rename edge edge-berlin").action(
    lazily(async () => (await import("../commands/ledger.js")).ledger),
  );
};

export const backup: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("backup"))
    .summary("Copy the store and the state folder")
    .description("Copies the SQLite store and the state folder to a new folder, also while an agent runs.")
    .requiredOption("--out <dir>", "New folder; only your user can read it");
  withExamples(command, "history", "backup --out backup-2026-11-28", "backup --out backup --state /var/lib/plumbline").action(
    lazily(async () => (await import("../commands/backup.js")).backup),
  );
};

export const agent: Define = (program, lazily) => {
  const command = program
    .command("agent")
    .summary("Watch a repository and reconcile its targets continuously")
    .description("Watches a git repository, applies new commits, detects drift and serves a web page, metrics and a webhook.");
  withLedger(
    command
      .option("--once", "Fetch, process every target once, and exit")
      .option("--source <url>", "Address or path of the repository (default: the repository of plumbline.yaml)")
      .option("--branch <name>", "Branch to follow")
      .option("--tag <name>", "Tag to follow")
      .option("--interval <time>", "Time between checks for new commits, for example 120s")
      .option("--drift-interval <time>", "Time between drift checks of each target, for example 15m")
      .option("--port <number>", "Port for page, health, metrics and webhook; 0 selects a free port", Number)
      .option("--host <address>", "Address to listen on")
      .addOption(
        new Option("--log-format <format>", "Log as text, or as JSON lines to standard error; combine with --log-level info")
          .choices(["text", "json"])
          .default("text"),
      ),
  );
  withExamples(command, "agent", "agent --branch main --drift-interval 15m", "agent --once --log-format json --log-level info").action(
    lazily(async () => (await import("../commands/agent.js")).agent),
  );
};
