import type { ApiClient } from "./api.js";
import type { CodeHost, Comment, CommitStatus, Proposal, PullRequest } from "./host.js";
import { objectAt, objectOf, textAt } from "./shapes.js";

type Item = Readonly<Record<string, unknown>>;

/** Where hosts differ whose comments of a pull request are those of an issue. */
export interface IssuesDialect {
  readonly name: string;
  readonly maxLength: number;
  /** What is appended to the list of comments. */
  readonly commentsQuery: string;
  /** The same for the list of pull requests from a branch, newest first; others in it are passed over. */
  pullRequestsQuery(branch: string): string;
  /** The field that tells our account from others, and what a token is answered that may not ask who it is. */
  readonly account: { readonly field: string; readonly refused: readonly number[] };
  /** Whether the author of a comment is us; `account` is undefined for the token of a job. */
  isOurs(author: Item, account: string | undefined): boolean;
  isMerged(pullRequest: Item): boolean;
}

/** The API that GitHub has, and Gitea and Forgejo after it. */
export class IssuesApi implements CodeHost {
  readonly maxLength: number;
  readonly #api: ApiClient;
  readonly #path: string;
  readonly #dialect: IssuesDialect;

  constructor(api: ApiClient, repository: string, dialect: IssuesDialect) {
    this.maxLength = dialect.maxLength;
    this.#api = api;
    this.#path = `/repos/${repository}`;
    this.#dialect = dialect;
  }

  async comments(pullRequest: string): Promise<readonly Comment[]> {
    const { account, commentsQuery } = this.#dialect;
    const user = await this.#api.ask("/user", account.refused);
    const us = user === undefined ? undefined : textAt(this.#object(user), account.field);
    const found = await this.#api.list(`${this.#path}/issues/${pullRequest}/comments${commentsQuery}`);
    return found
      .map((item) => this.#object(item))
      .filter((item) => this.#dialect.isOurs(objectAt(item, "user"), us))
      .map(commentOf);
  }

  async createComment(pullRequest: string, body: string): Promise<Comment> {
    return commentOf(this.#object(await this.#api.send("POST", `${this.#path}/issues/${pullRequest}/comments`, { body })));
  }

  async updateComment(_pullRequest: string, id: string, body: string): Promise<Comment> {
    return commentOf(this.#object(await this.#api.send("PATCH", `${this.#path}/issues/comments/${id}`, { body })));
  }

  async deleteComment(_pullRequest: string, id: string): Promise<void> {
    await this.#api.send("DELETE", `${this.#path}/issues/comments/${id}`);
  }

  async pullRequestsFrom(branch: string): Promise<readonly PullRequest[]> {
    const found = await this.#api.list(`${this.#path}/pulls${this.#dialect.pullRequestsQuery(branch)}`);
    // An older server passes over a filter that it does not know.
    return found
      .map((item) => this.#object(item))
      .filter((item) => textAt(objectAt(item, "head"), "ref") === branch)
      .map((item) => this.#pullRequestOf(item));
  }

  async openPullRequest({ branch, base, title, body }: Proposal): Promise<PullRequest> {
    return this.#pullRequestOf(this.#object(await this.#api.send("POST", `${this.#path}/pulls`, { head: branch, base, title, body })));
  }

  async defaultBranch(): Promise<string> {
    return textAt(this.#object(await this.#api.send("GET", this.#path)), "default_branch");
  }

  async setStatus(commit: string, { context, state, description }: CommitStatus): Promise<void> {
    await this.#api.send("POST", `${this.#path}/statuses/${commit}`, { context, state, description: description.slice(0, 140) });
  }

  #object(reply: unknown): Item {
    return objectOf(this.#dialect.name, reply);
  }

  #pullRequestOf(item: Item): PullRequest {
    const open = textAt(item, "state") === "open" ? "open" : "closed";
    return { number: textAt(item, "number"), url: textAt(item, "html_url"), state: this.#dialect.isMerged(item) ? "merged" : open };
  }
}

function commentOf(item: Item): Comment {
  return { id: textAt(item, "id"), body: textAt(item, "body"), url: textAt(item, "html_url") };
}
