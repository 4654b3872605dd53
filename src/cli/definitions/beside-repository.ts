import { Option } from "commander";
import type { Define } from "../define.js";
import { withHost, withLedger, withPlainFormat } from "../options.js";

export const agent: Define = (program, lazily) => {
  const command = program.command("agent").description("watch a repository and keep its targets as it says");
  withLedger(
    command
      .option("--once", "fetch, visit every target once, and end")
      .option("--source <url>", "repository to watch: an address or a path (default: the one plumbline.yaml is in)")
      .option("--branch <name>", "branch to follow")
      .option("--tag <name>", "tag to follow")
      .option("--interval <time>", "how often to ask for commits, such as 120s")
      .option("--drift-interval <time>", "how often to look at each target, such as 15m")
      .option("--port <number>", "for health, webhook and metrics; 0 takes a free one", Number)
      .option("--host <address>", "to listen on")
      .addOption(
        new Option(
          "--log-format <format>",
          "say what happens in words, or as one JSON line each on standard error (--log-level info for all)",
        )
          .choices(["text", "json"])
          .default("text"),
      ),
  ).action(lazily(async () => (await import("../commands/agent.js")).agent));
};

export const pr: Define = (program, lazily) => {
  withPlainFormat(withHost(program.command("pr").description("talk to a pull request").command("comment")))
    .description("keep one comment of a pull request up to date with a report in markdown")
    .option("--file <plan.md>", "what to say; standard input when left out")
    .option("--pr <number>", "the pull request; known in CI")
    .option("--name <name>", "tells several comments of one pull request apart", "plan")
    .action(lazily(async () => (await import("../commands/pr.js")).pr));
};
