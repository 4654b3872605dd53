import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { PlumblineError } from "../../core/errors.js";
import { keepComment } from "../../pull-request/comment.js";
import { openHost } from "../../pull-request/open-host.js";
import { HOSTS, type HostFlags, hostSettings, pullRequestNumber } from "../../pull-request/settings.js";
import type { Context } from "../context.js";
import type { Register } from "../register.js";

interface Flags extends HostFlags {
  readonly file?: string;
  readonly name: string;
}

export const pr: Register = (program, context, finish) => {
  withHost(program.command("pr").description("talk to a pull request").command("comment"))
    .description("keep one comment of a pull request up to date with a report in markdown")
    .option("--file <plan.md>", "what to say; standard input when left out")
    .option("--pr <number>", "the pull request; known in CI")
    .option("--name <name>", "tells several comments of one pull request apart", "plan")
    .action(async (_own: unknown, invoked: Command) => {
      const flags = invoked.optsWithGlobals<Flags>();
      const settings = hostSettings(flags, context.environment);
      const pullRequest = pullRequestNumber(settings.kind, flags, context.environment);
      const body = await bodyOf(flags, context);
      const { done, url } = await keepComment(openHost(settings), { pullRequest, name: flags.name, body });
      context.stdout.write(`${done}  ${url === "" ? `comment on ${settings.repository} ${pullRequest}` : url}\n`);
      finish(0);
    });
};

/** Options of commands that talk to a code host; without them `PLUMBLINE_*` and the CI system's own variables say it. */
export function withHost(command: Command): Command {
  return command
    .addOption(new Option("--host <kind>", "kind of code host; known in CI").choices(HOSTS))
    .option("--repo <owner/name>", "repository on the code host; known in CI")
    .option("--api <url>", "base of the code host's API; known in CI");
}

async function bodyOf({ file }: Flags, { folder, stdin }: Context): Promise<string> {
  if (file !== undefined) {
    try {
      return await readFile(resolve(folder, file), "utf8");
    } catch (cause) {
      throw new PlumblineError("comment-unreadable", "The file with the comment cannot be read.", {
        where: { file },
        next: "Name what `plumbline plan --format markdown` wrote, or pipe it in.",
        cause,
      });
    }
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin ?? []) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}
