import { readJson } from "../../core/json/read-json.js";
import { packageFile, packageFileUrl } from "../../core/package-file.js";
import { version } from "../../core/version.js";

const PAGE = "docs/errors.md";

/** Line numbers of the sections of `docs/errors.md`, by code. Undefined if the package does not have the page. */
let lines: ReadonlyMap<string, number> | undefined;
let base: string | undefined;

/**
 * Returns the address of the description of an error code: the page in the repository that released this package, or else the page next to
 * the program. Undefined if there is neither.
 */
export function referenceOf(code: string): string | undefined {
  base ??= addressIn(packageFile("package.json")) ?? "";
  if (base !== "") return `${base}#${code}`;
  const page = packageFileUrl(PAGE);
  if (page === undefined) return undefined;
  lines ??= new Map(
    packageFile(PAGE)
      .split("\n")
      .flatMap((line, at) => (line.startsWith("## ") ? [[line.slice(3).trim(), at + 1]] : [])),
  );
  const line = lines.get(code);
  return line === undefined ? undefined : `${page.href}#L${line}`;
}

/**
 * Returns the address of the page in the repository of a package, by its manifest.
 *
 * @internal Exported for tests.
 */
export function addressIn(manifest: string): string | undefined {
  const { repository } = readJson(manifest) as { readonly repository?: { readonly url?: string } };
  const address = /^(?:git\+)?(https:\/\/.+?)(?:\.git)?$/.exec(repository?.url ?? "")?.[1];
  return address === undefined ? undefined : `${address}/blob/v${version}/${PAGE}`;
}
