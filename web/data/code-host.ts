/** Addresses of commits and lines at the code host. */
export interface CodeHost {
  readonly commit: (id: string) => string;
  /** `file` is relative to the root of the repository. */
  readonly line: (id: string, file: string, line: number) => string;
}

/** Address patterns by host name. Self-hosted services usually contain the product in their name. */
const SHAPES: readonly (readonly [name: RegExp, commit: string, file: string, line: string])[] = [
  [/github/, "/commit/", "/blob/", "#L"],
  [/gitlab/, "/-/commit/", "/-/blob/", "#L"],
  [/gitea|forgejo|codeberg/, "/commit/", "/src/commit/", "#L"],
  [/^bitbucket\.org$/, "/commits/", "/src/", "#lines-"],
];

/**
 * Returns the code host of a repository address. Undefined if it is unknown. The result is always `http:` or `https:`, without user name
 * and password.
 */
export function codeHostOf(source: string): CodeHost | undefined {
  const base = baseOf(source);
  if (base === undefined) return undefined;
  const [, commit, file, mark] = SHAPES.find(([name]) => name.test(base.hostname)) ?? [];
  const root = `${base.origin}${base.pathname.replace(/\/+$/, "").replace(/\.git$/, "")}`;
  if (commit === undefined || base.pathname === "/") return undefined;
  return {
    commit: (id) => `${root}${commit}${encodeURIComponent(id)}`,
    line: (id, path, at) => `${root}${file}${encodeURIComponent(id)}/${encoded(path)}${mark}${at}`,
  };
}

function baseOf(source: string): URL | undefined {
  const web = /^https?:\/\//i.test(source);
  // Matches `git@host:group/name.git` and `ssh://git@host:22/group/name.git`. The ssh port is not the port of the web pages.
  const [, host, path] =
    /^(?:ssh|git):\/\/(?:[^/@]*@)?([\w.-]+)(?::\d+)?\/(.+)$/i.exec(source) ?? /^(?:[\w.-]+@)([\w.-]+):(?!\/)(.+)$/.exec(source) ?? [];
  const text = web ? source : host === undefined ? undefined : `https://${host}/${path}`;
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

/** Resolves `..` steps, because code hosts do not accept them. */
function encoded(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(encodeURIComponent(step));
  }
  return steps.join("/");
}
