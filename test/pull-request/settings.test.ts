import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { hostSettings, pullRequestNumber } from "../../src/pull-request/settings.js";

const GITHUB = { GITHUB_ACTIONS: "true", GITHUB_API_URL: "https://api.github.com", GITHUB_REPOSITORY: "o/r", GITHUB_TOKEN: "s3cret" };
const GITLAB = { GITLAB_CI: "true", CI_API_V4_URL: "https://git.example.net/api/v4", CI_PROJECT_ID: "17", GITLAB_TOKEN: "s3cret" };

describe("settings of the code host", () => {
  it("come from the CI system", () => {
    expect(hostSettings({}, GITHUB)).toMatchObject({ kind: "github", api: "https://api.github.com", repository: "o/r" });
    expect(hostSettings({}, GITLAB)).toMatchObject({ kind: "gitlab", api: "https://git.example.net/api/v4", repository: "17" });
    const gitea = { ...GITHUB, GITEA_ACTIONS: "true", GITHUB_API_URL: "https://git.example.net/api/v1/" };
    expect(hostSettings({}, gitea)).toMatchObject({ kind: "gitea", api: "https://git.example.net/api/v1" });
  });

  it("can be overridden by PLUMBLINE_ variables, and those by flags", () => {
    const environment = {
      ...GITHUB,
      PLUMBLINE_HOST: "gitlab",
      PLUMBLINE_REPOSITORY: "a/b/c",
      PLUMBLINE_API_URL: "https://10.0.0.1/api/v4",
      PLUMBLINE_TOKEN: "own",
    };
    const settings = hostSettings({}, environment);
    expect(settings).toMatchObject({ kind: "gitlab", api: "https://10.0.0.1/api/v4", repository: "a/b/c" });
    expect(settings.token.reveal()).toBe("own");
    expect(hostSettings({ host: "gitea", repo: "x/y", api: "https://z/api/v1" }, environment)).toMatchObject({
      kind: "gitea",
      api: "https://z/api/v1",
      repository: "x/y",
    });
  });

  it("never show the token", () => {
    expect(`${inspect(hostSettings({}, GITHUB))}${JSON.stringify(hostSettings({}, GITHUB))}`).not.toContain("s3cret");
  });

  it.each([
    [{}, "code-host-unknown"],
    [{ ...GITHUB, PLUMBLINE_HOST: "sourceforge" }, "code-host-unknown"],
    [{ ...GITHUB, GITHUB_API_URL: "", PLUMBLINE_HOST: "gitea" }, "code-host-url"],
    [{ ...GITHUB, GITHUB_API_URL: "https://u:p@host" }, "code-host-url"],
    [{ ...GITHUB, GITHUB_REPOSITORY: "" }, "repository-unknown"],
    [{ ...GITHUB, GITHUB_REPOSITORY: "o/../r" }, "repository-unknown"],
    [{ ...GITHUB, GITHUB_REPOSITORY: "o/.." }, "repository-unknown"],
    [{ ...GITHUB, GITHUB_TOKEN: " " }, "code-host-token-missing"],
  ])("are refused: %j", (environment, code) => {
    expect(() => hostSettings({}, environment)).toThrow(expect.objectContaining({ code }));
  });
});

describe("the number of the pull request", () => {
  it("comes from flag, variable, ref or event", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-event-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "event.json"), JSON.stringify({ pull_request: { number: 12 } }));
    expect(pullRequestNumber("github", { pr: "3" }, { PLUMBLINE_PULL_REQUEST: "4" })).toBe("3");
    expect(pullRequestNumber("github", {}, { PLUMBLINE_PULL_REQUEST: "4", GITHUB_REF: "refs/pull/5/merge" })).toBe("4");
    expect(pullRequestNumber("gitea", {}, { GITHUB_REF: "refs/pull/5/merge" })).toBe("5");
    expect(pullRequestNumber("github", {}, { GITHUB_REF: "refs/heads/main", GITHUB_EVENT_PATH: join(folder, "event.json") })).toBe("12");
    expect(pullRequestNumber("gitlab", {}, { CI_MERGE_REQUEST_IID: "6", GITHUB_REF: "refs/pull/5/merge" })).toBe("6");
  });

  it.each([
    {},
    { PLUMBLINE_PULL_REQUEST: "x" },
    { PLUMBLINE_PULL_REQUEST: "1/../2" },
    { GITHUB_REF: "refs/heads/main", GITHUB_EVENT_PATH: "/nowhere" },
  ])("is refused: %j", (environment) => {
    expect(() => pullRequestNumber("github", {}, environment)).toThrow(expect.objectContaining({ code: "pull-request-unknown" }));
  });
});
