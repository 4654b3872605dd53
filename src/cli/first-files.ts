/** The CI system for which a new desired state gets a file. */
export type CiSystem = "github" | "gitlab" | "none";

/** Files that runs create, and files that must never be committed. */
export const IGNORED = `# What runs write, and what nobody should commit.
/.plumbline/
plan.json
plan.md
*.key
*-key.pem
.env
`;

/** @param config Path of plumbline.yaml, relative to the root of the repository. */
export function ciFile(system: CiSystem, config: string): { readonly name: string; readonly text: string } | undefined {
  if (system === "none") return undefined;
  return system === "github"
    ? { name: ".github/workflows/plumbline.yml", text: github(config) }
    : { name: ".gitlab-ci.yml", text: gitlab(config) };
}

const github = (
  config: string,
): string => `# Says in each pull request what it would change. Set OWNER to where Plumbline is kept, and the two secrets in the repository's settings.
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
`;

const gitlab = (
  config: string,
): string => `# Says in each merge request what it would change. PLUMBLINE_USER, PLUMBLINE_PASSWORD and GITLAB_TOKEN are masked variables of the project.
include:
  - project: netops/plumbline # where Plumbline is kept
    ref: v1
    file: ci/gitlab.yml
variables:
  PLUMBLINE_SOURCE: https://git.example.net/netops/plumbline.git
  PLUMBLINE_REF: v1
  PLUMBLINE_CONFIG: ${config}
`;
