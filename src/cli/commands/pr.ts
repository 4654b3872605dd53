import { resolve } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { readRegularFile } from "../../core/regular-file.js";
import { keepComment } from "../../pull-request/comment.js";
import { openHost } from "../../pull-request/open-host.js";
import { type HostFlags, hostSettings, pullRequestNumber } from "../../pull-request/settings.js";
import type { Context } from "../context.js";
import type { PlainFormat } from "../options.js";
import { show } from "../show.js";

interface Flags extends HostFlags, PlainFormat {
  readonly file?: string;
  readonly name: string;
}

/** Creates or updates the comment of a pull request. Returns the exit code. */
export async function pr(flags: Flags, context: Context): Promise<number> {
  const settings = hostSettings(flags, context.environment);
  const pullRequest = pullRequestNumber(settings.kind, flags, context.environment);
  const body = await bodyOf(flags, context);
  const { done, url } = await keepComment(openHost(settings), { pullRequest, name: flags.name, body });
  show(
    flags,
    context,
    () => ({ done, url, pullRequest }),
    () => `${done}  ${url === "" ? `comment on ${settings.repository} ${pullRequest}` : url}\n`,
  );
  return 0;
}

/** Maximum size of a comment, in bytes. Code hosts accept a tenth of this size. */
const MOST_BYTES = 1_048_576;

async function bodyOf({ file }: Flags, { folder, stdin }: Context): Promise<string> {
  if (file !== undefined) {
    try {
      return (await readRegularFile(resolve(folder, file), MOST_BYTES)).toString("utf8");
    } catch (cause) {
      throw new PlumblineError("comment-unreadable", "The file with the comment cannot be read.", {
        where: { file },
        next: "Name what `plumbline plan --format markdown` wrote, or pipe it in.",
        cause,
      });
    }
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin?.() ?? []) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}
