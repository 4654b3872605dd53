/** Where people read a commit and a line of it. */
export interface CodeHost {
  readonly commit: (id: string) => string;
  /** `file` from the root of the repository. */
  readonly line: (id: string, file: string, line: number) => string;
}

/** By what its name has in it: hosts of one's own are mostly called after what runs there. */
const SHAPES: readonly (readonly [name: RegExp, commit: string, file: string, line: string])[] = [
  [/github/, "/commit/", "/blob/", "#L"],
  [/gitlab/, "/-/commit/", "/-/blob/", "#L"],
  [/gitea|forgejo|codeberg/, "/commit/", "/src/commit/", "#L"],
  [/^bitbucket\.org$/, "/commits/", "/src/", "#lines-"],
];

/**
 * The pages of the code host that the address of a repository names; undefined where it names none that is known. Nothing but
 * `http:` and `https:` comes out, and no name or password of the address.
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
  // `git@host:group/name.git`, and `ssh://git@host:22/group/name.git`, whose port is not that of its pages.
  const [, host, path] =
    /^(?:ssh|git):\/\/(?:[^/@]*@)?([\w.-]+)(?::\d+)?\/(.+)$/i.exec(source) ?? /^(?:[\w.-]+@)([\w.-]+):(?!\/)(.+)$/.exec(source) ?? [];
  const text = web ? source : host === undefined ? undefined : `https://${host}/${path}`;
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

/** Steps are resolved here: hosts take no `..`. */
function encoded(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(encodeURIComponent(step));
  }
  return steps.join("/");
}
