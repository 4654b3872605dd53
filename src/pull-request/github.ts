import { ApiClient, type ApiDependencies } from "./api.js";
import type { CodeHost, Comment, CommitStatus, Proposal, PullRequest } from "./host.js";
import type { HostSettings } from "./settings.js";
import { objectAt, objectOf, textAt } from "./shapes.js";

const NAME = "GitHub";

/** GitHub's REST API, and that of GitHub Enterprise. */
export class GitHub implements CodeHost {
  readonly maxLength = 65_536;
  readonly #api: ApiClient;
  readonly #repository: string;
  readonly #path: string;

  constructor({ api, repository, token }: HostSettings, dependencies: ApiDependencies) {
    const headers = {
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      authorization: `Bearer ${token.reveal()}`,
    };
    this.#api = new ApiClient({ name: NAME, api, headers, token }, dependencies);
    this.#repository = repository;
    this.#path = `/repos/${repository}`;
  }

  async comments(pullRequest: string): Promise<readonly Comment[]> {
    const login = await this.#login();
    const found = await this.#api.list(`${this.#path}/issues/${pullRequest}/comments?per_page=100`);
    return found
      .map((item) => objectOf(NAME, item))
      .filter((item) => isOurs(objectAt(item, "user"), login))
      .map(commentOf);
  }

  async createComment(pullRequest: string, body: string): Promise<Comment> {
    return commentOf(objectOf(NAME, await this.#api.send("POST", `${this.#path}/issues/${pullRequest}/comments`, { body })));
  }

  async updateComment(_pullRequest: string, id: string, body: string): Promise<Comment> {
    return commentOf(objectOf(NAME, await this.#api.send("PATCH", `${this.#path}/issues/comments/${id}`, { body })));
  }

  async deleteComment(_pullRequest: string, id: string): Promise<void> {
    await this.#api.send("DELETE", `${this.#path}/issues/comments/${id}`);
  }

  async pullRequestsFrom(branch: string): Promise<readonly PullRequest[]> {
    const owner = this.#repository.split("/", 1)[0] ?? "";
    const head = encodeURIComponent(`${owner}:${branch}`);
    const found = await this.#api.list(`${this.#path}/pulls?state=all&sort=created&direction=desc&per_page=100&head=${head}`);
    // An older server passes over a filter that it does not know.
    return found
      .map((item) => objectOf(NAME, item))
      .filter((item) => textAt(objectAt(item, "head"), "ref") === branch)
      .map(pullRequestOf);
  }

  async openPullRequest({ branch, base, title, body }: Proposal): Promise<PullRequest> {
    return pullRequestOf(objectOf(NAME, await this.#api.send("POST", `${this.#path}/pulls`, { head: branch, base, title, body })));
  }

  async defaultBranch(): Promise<string> {
    return textAt(objectOf(NAME, await this.#api.send("GET", this.#path)), "default_branch");
  }

  async setStatus(commit: string, { context, state, description }: CommitStatus): Promise<void> {
    await this.#api.send("POST", `${this.#path}/statuses/${commit}`, { context, state, description: description.slice(0, 140) });
  }

  /** Who we are; undefined for the token of a job, which may not ask. */
  async #login(): Promise<string | undefined> {
    const user = await this.#api.ask("/user", [403]);
    return user === undefined ? undefined : textAt(objectOf(NAME, user), "login");
  }
}

/** A comment of somebody else with our marker in it is not ours to follow: its author could change what it says later. */
function isOurs(user: Readonly<Record<string, unknown>>, login: string | undefined): boolean {
  return login === undefined ? textAt(user, "type") === "Bot" : textAt(user, "login") === login;
}

function commentOf(item: Readonly<Record<string, unknown>>): Comment {
  return { id: textAt(item, "id"), body: textAt(item, "body"), url: textAt(item, "html_url") };
}

function pullRequestOf(item: Readonly<Record<string, unknown>>): PullRequest {
  const merged = textAt(item, "merged_at") !== "";
  return {
    number: textAt(item, "number"),
    url: textAt(item, "html_url"),
    state: merged ? "merged" : textAt(item, "state") === "open" ? "open" : "closed",
  };
}
