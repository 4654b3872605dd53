import type { Define } from "../define.js";
import { withFormat, withLedger, withPlainFormat, withTargets, withWrites } from "../options.js";

export const reconcile: Define = (program, lazily) => {
  const command = program.command("reconcile").description("make targets equal to the desired state: write, commit once, read back");
  withWrites(withFormat(withTargets(command)))
    .option("-y, --yes", "do not show the plan and ask first, as is done on a terminal", false)
    .action(lazily(async () => (await import("../commands/reconcile.js")).reconcile));
};

export const apply: Define = (program, lazily) => {
  const command = program.command("apply").description("reconcile what a saved plan says, and nothing else").argument("<plan.json>");
  withWrites(withFormat(command)).action(lazily(async () => (await import("../commands/reconcile.js")).apply));
};

export const doctor: Define = (program, lazily) => {
  const command = program.command("doctor").description("show what a target can do; with trials in a place that nobody uses");
  withPlainFormat(withWrites(command.argument("<target>")))
    .option("--try-in <vsys>", "make the trials in this empty virtual system: written under lock, reverted, never committed")
    .action(lazily(async () => (await import("../commands/doctor.js")).doctor));
};

export const rollback: Define = (program, lazily) => {
  withPlainFormat(withWrites(withTargets(program.command("rollback"))))
    .description("write a commit that takes another one back (git revert), once it is known to load")
    .argument("<commit>")
    .option("--push", "push it to the branch that is checked out")
    .option("--reconcile", "then make live equal to it, firewalls of a manager that got the commit included")
    .option("-y, --yes", "with --reconcile: do not show the plan and ask first", false)
    .action(lazily(async () => (await import("../commands/rollback.js")).rollback));
};

export const pause: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("pause")).description("keep every runner from writing to a target").argument("[target]");
  withLedger(
    command
      .option("--all", "every target")
      .requiredOption("--reason <text>", "why, for whoever meets it")
      .option("--for <time>", "how long, such as 2h; until resumed when left out")
      .option("--wait <time>", "how long to wait for a run that had begun to write, such as 10m; 2m when left out")
      .option("--by <name>", "who; your login when left out"),
  ).action(lazily(async () => (await import("../commands/pause.js")).pause));
};

export const resume: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("resume")).description("end a pause").argument("[target]");
  withLedger(command.option("--all", "the pause of every target")).action(
    lazily(async () => (await import("../commands/pause.js")).resume),
  );
};

export const approve: Define = (program, lazily) => {
  const command = withPlainFormat(program.command("approve")).description(
    "let the plan of a digest be applied to a target with approve: required",
  );
  withLedger(
    command
      .argument("<target>")
      .argument("<digest>", "of the plan; its first 12 characters do for one that the agent has made")
      .option("--by <name>", "who; your login when left out")
      .option("--from <address>", "where it was approved, such as the pull request's address"),
  ).action(lazily(async () => (await import("../commands/pause.js")).approve));
};
