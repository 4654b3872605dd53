import { PlumblineError } from "../core/errors.js";
import { redactUrls } from "../core/redact-urls.js";
import { createOnce } from "./api.js";
import type { CodeHost, Comment } from "./host.js";

export interface CommentRequest {
  readonly pullRequest: string;
  /** Distinguishes several comments of one pull request. Characters: `[A-Za-z0-9._-]`. */
  readonly name: string;
  /** Markdown. */
  readonly body: string;
}

export interface CommentResult {
  readonly done: "created" | "updated" | "unchanged";
  /** Empty if the host has none. */
  readonly url: string;
}

/**
 * Creates or updates one comment of our account, which a hidden marker identifies. Deletes duplicates, which concurrent jobs can create.
 * Throws `comment-name`, `comment-empty`, `comment-too-long` before any request, and `code-host-…`.
 */
export async function keepComment(host: CodeHost, { pullRequest, name, body }: CommentRequest): Promise<CommentResult> {
  const marker = markerOf(name);
  const text = `${marker}\n${redactUrls(bodyOf(body))}`;
  if (text.length > host.maxLength) {
    throw new PlumblineError("comment-too-long", `The comment has ${text.length} characters, and the host takes ${host.maxLength}.`, {
      next: "Give the output of `plumbline plan --format markdown`, which stays below every host's bound.",
    });
  }
  const [known, ...doubles] = await ownComments(host, pullRequest, marker);
  for (const { id } of doubles) await host.deleteComment(pullRequest, id);
  if (known === undefined) {
    const find = async () => (await ownComments(host, pullRequest, marker))[0];
    const { url } = await createOnce(() => host.createComment(pullRequest, text), find);
    return { done: "created", url };
  }
  if (sameText(known.body, text)) return { done: "unchanged", url: known.url };
  const { url } = await host.updateComment(pullRequest, known.id, text);
  return { done: "updated", url };
}

async function ownComments(host: CodeHost, pullRequest: string, marker: string): Promise<Comment[]> {
  return (await host.comments(pullRequest)).filter(({ body }) => body.startsWith(marker));
}

function markerOf(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && !name.includes("--")) return `<!-- plumbline:comment:${name} -->`;
  throw new PlumblineError("comment-name", `"${name}" cannot name a comment.`, {
    next: "Use up to 64 letters, digits, dots, underscores and single hyphens.",
  });
}

function bodyOf(body: string): string {
  const text = body.replaceAll("\r\n", "\n").trimEnd();
  if (text !== "") return text;
  throw new PlumblineError("comment-empty", "The comment has no content.", {
    next: "Use the output of `plumbline plan --format markdown`. It is empty if the plan failed.",
  });
}

/** Ignores line ends and trailing space, which hosts change. */
function sameText(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll("\r\n", "\n").trimEnd();
  return plain(a) === plain(b);
}
