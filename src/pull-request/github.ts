import { ApiClient, type ApiDependencies } from "./api.js";
import { IssuesApi, type IssuesDialect } from "./issues-api.js";
import type { HostSettings } from "./settings.js";
import { textAt } from "./shapes.js";

const NAME = "GitHub";

function dialectOf(owner: string): IssuesDialect {
  return {
    name: NAME,
    maxLength: 65_536,
    commentsQuery: "?per_page=100",
    pullRequestsQuery: (branch) => `?state=all&sort=created&direction=desc&per_page=100&head=${encodeURIComponent(`${owner}:${branch}`)}`,
    account: { field: "login", refused: [403] },
    // Ignore comments of other accounts that contain our marker: their authors could change them later.
    isOwn: (author, account) => (account === undefined ? textAt(author, "type") === "Bot" : textAt(author, "login") === account),
    isMerged: (pullRequest) => textAt(pullRequest, "merged_at") !== "",
  };
}

/** REST API client for GitHub and GitHub Enterprise. */
export class GitHub extends IssuesApi {
  constructor({ api, repository, token }: HostSettings, dependencies: ApiDependencies) {
    const headers = {
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      authorization: `Bearer ${token.reveal()}`,
    };
    const [owner = ""] = repository.split("/", 1);
    super(new ApiClient({ name: NAME, api, headers, token }, dependencies), repository, dialectOf(owner));
  }
}
