/** The CI system for which a new desired state gets a file. */
export type CiSystem = "github" | "gitlab" | "none";

/** Files that runs create, and files that must never be committed. */
export const IGNORED = `# Output of runs, and files that must not be committed.
/.plumbline/
plan.json
plan.md
*.key
*-key.pem
.env
`;

/** git must not convert line ends: fmt --check would fail on Windows. */
export const ATTRIBUTES = "*.yaml text eol=lf\n*.yml text eol=lf\n";

/** @param config Path of plumbline.yaml, relative to the root of the repository. */
export function ciFile(system: CiSystem, config: string): { readonly name: string; readonly text: string } | undefined {
  if (system === "none") return undefined;
  return system === "github"
    ? { name: ".github/workflows/plumbline.yml", text: github(config) }
    : { name: ".gitlab-ci.yml", text: gitlab(config) };
}

const github = (
  config: string,
): string => `# Comments on each pull request with its plan. Set OWNER to the organization that has Plumbline, and add the two secrets to the repository.
on: pull_request
permissions: { contents: read, pull-requests: write }
jobs:
  plan:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: { fetch-depth: 0, persist-credentials: false }
      - uses: OWNER/plumbline@v1
        with: { config: ${JSON.stringify(config)} }
        env:
          PLUMBLINE_USER: \${{ secrets.PLUMBLINE_USER }}
          PLUMBLINE_PASSWORD: \${{ secrets.PLUMBLINE_PASSWORD }}
          PLUMBLINE_STRICT: "true" # names that no document declares are errors
`;

const gitlab = (
  config: string,
): string => `# Comments on each merge request with its plan. PLUMBLINE_USER, PLUMBLINE_PASSWORD and GITLAB_TOKEN are masked variables of the project.
include:
  - project: netops/plumbline # project that has Plumbline
    ref: v1
    file: ci/gitlab.yml
variables:
  PLUMBLINE_SOURCE: https://git.example.net/netops/plumbline.git
  PLUMBLINE_REF: v1
  PLUMBLINE_CONFIG: ${config}
  PLUMBLINE_STRICT: "true" # names that no document declares are errors
`;
