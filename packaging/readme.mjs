/**
 * Returns the README of the package, which has no other file of the repository. Links are absolute if the release workflow names the
 * repository. Otherwise their text remains, and pictures are removed.
 * @param environment variables of the release workflow
 */
export function readmeOf(readme, version, environment = process.env) {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = environment;
  if (GITHUB_SERVER_URL === undefined || GITHUB_REPOSITORY === undefined) {
    return readme
      .replaceAll(/<picture>.*?<\/picture>\n*/gs, "")
      .replaceAll(/!\[[^\]]*\]\((?![a-z]+:)[^)]*\)\n*/g, "")
      .replaceAll(/\[([^\]]*)\]\((?![a-z]+:)[^)]*\)/g, "$1");
  }
  const at = (kind, path) => `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/${kind}/v${version}/${path}`;
  return readme
    .replaceAll(/\b(src|srcset)="(?![a-z]+:)([^"]*)"/g, (_, name, path) => `${name}="${at("raw", path)}"`)
    .replaceAll(/(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]*)\)/g, (_, mark, text, path) => {
      return `${mark}[${text}](${at(mark === "!" ? "raw" : "blob", path)})`;
    });
}
