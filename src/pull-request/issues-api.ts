import type { ApiClient } from "./api.js";
import type { CodeHost, Comment, CommitStatus, Proposal, PullRequest } from "./host.js";
import { objectAt, objectOf, textAt } from "./shapes.js";

type Item = Readonly<Record<string, unknown>>;

/** Differences between hosts that treat a pull request as an issue. */
export interface IssuesDialect {
  readonly name: string;
  readonly maxLength: number;
  /** Query string for the list of comments. */
  readonly commentsQuery: string;
  /** Query string for the list of pull requests from a branch, newest first. The list may contain other branches, which are ignored. */
  pullRequestsQuery(branch: string): string;
  /** `field` identifies an account. `refused`: statuses for a token that may not read its own account. */
  readonly account: { readonly field: string; readonly refused: readonly number[] };
  /** Returns whether our account wrote a comment. `account` is undefined for the token of a job. */
  isOwn(author: Item, account: string | undefined): boolean;
  isMerged(pullRequest: Item): boolean;
}

/** API of GitHub, which Gitea and Forgejo adopted. */
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
    const user = await this.#api.get("/user", account.refused);
    const us = user === undefined ? undefined : textAt(this.#object(user), account.field);
    const found = await this.#api.list(`${this.#path}/issues/${pullRequest}/comments${commentsQuery}`);
    return found
      .map((item) => this.#object(item))
      .filter((item) => this.#dialect.isOwn(objectAt(item, "user"), us))
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
    // Gitea has no filter for the branch, and an older server may ignore it.
    return found
      .map((item) => this.#object(item))
      .filter((item) => textAt(objectAt(item, "head"), "ref") === branch && !isFromFork(item))
      .map((item) => this.#pullRequestOf(item));
  }

  async openPullRequest({ branch, base, title, body }: Proposal): Promise<PullRequest> {
    return this.#pullRequestOf(this.#object(await this.#api.send("POST", `${this.#path}/pulls`, { head: branch, base, title, body })));
  }

  async updatePullRequest(number: string, { title, body }: Pick<Proposal, "title" | "body">): Promise<PullRequest> {
    return this.#pullRequestOf(this.#object(await this.#api.send("PATCH", `${this.#path}/pulls/${number}`, { title, body })));
  }

  async closePullRequest(number: string, body: string): Promise<PullRequest> {
    return this.#pullRequestOf(this.#object(await this.#api.send("PATCH", `${this.#path}/pulls/${number}`, { state: "closed", body })));
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
    const state = this.#dialect.isMerged(item) ? "merged" : open;
    return { number: textAt(item, "number"), url: textAt(item, "html_url"), state, body: textAt(item, "body") };
  }
}

/** Anyone can open a pull request from a fork, with any name of the branch. */
function isFromFork(item: Item): boolean {
  const repository = (side: string) => textAt(objectAt(objectAt(item, side), "repo"), "id");
  return repository("head") === "" || repository("head") !== repository("base");
}

function commentOf(item: Item): Comment {
  return { id: textAt(item, "id"), body: textAt(item, "body"), url: textAt(item, "html_url") };
}
