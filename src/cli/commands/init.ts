import { constants, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { toFileName } from "../../core/file-names.js";
import { joinLines } from "../../core/printable.js";
import { TreeNode } from "../../core/tree/node.js";
import { type Git, gitIn } from "../../engine/checkout/git.js";
import { readTrust } from "../../http/tls.js";
import { choosePaint } from "../../report/style.js";
import { panosKind } from "../../targets/panos/kind.js";
import type { Context } from "../context.js";
import { ATTRIBUTES, type CiSystem, ciFile, IGNORED } from "../first-files.js";
import { importForEditors } from "../import-for-editors.js";
import { findConfiguration, type GlobalOptions, type PlainFormat } from "../options.js";
import { show } from "../show.js";

interface Flags extends GlobalOptions, PlainFormat {
  readonly target: string;
  readonly url?: string;
  readonly xml?: string;
  readonly ca?: string;
  readonly ci: CiSystem;
}

/** A documentation address that never replies. */
const NOWHERE = "https://192.0.2.1";

/** Creates and commits a first desired state in a folder. Returns the exit code. */
export async function init(flags: Flags, context: Context, name: string): Promise<number> {
  const folder = resolve(context.folder, name);
  const above = nearest(folder);
  refuseInside(flags, context, above);
  const git = gitIn(above);
  await refuseWithoutName(git, above);
  const { code, stdout } = await git(["rev-parse", "--show-toplevel"]);
  const root = code === 0 ? stdout.trim() : folder;
  const staged = mkdtempSync(join(tmpdir(), "plumbline-init-"));
  try {
    const failed = await writeProject(staged, flags, context);
    if (failed !== 0) return failed;
    const files = new Map(filesBelow(staged).map((file) => [join(folder, file), join(staged, file)]));
    const ci = ciFile(flags.ci, relative(root, join(folder, "plumbline.yaml")).split(sep).join("/"));
    if (ci !== undefined) {
      writeFileSync(join(staged, "ci-file"), ci.text);
      files.set(join(root, ci.name), join(staged, "ci-file"));
    }
    place(files, context);
    await commit([...files.keys()], folder, code !== 0);
    printNextSteps([...files.keys()], folder, flags, context);
    return 0;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Returns the folder itself or its nearest existing ancestor. */
function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder));
}

function refused(message: string, file: string, next: string): PlumblineError {
  return new PlumblineError("init-refused", message, { where: { file }, next, severity: "refused" });
}

/** Refuses nested projects: each would treat the other's documents as unmanaged. */
function refuseInside(flags: Flags, context: Context, folder: string): void {
  const { PLUMBLINE_CONFIG: _, ...environment } = context.environment;
  let found: string;
  try {
    found = findConfiguration({ ...flags, config: "" }, { ...context, folder, environment });
  } catch {
    return;
  }
  throw refused(
    "A plumbline.yaml exists already.",
    found,
    "Add the target to that file and run `plumbline import TARGET --out FOLDER`, or use another folder.",
  );
}

async function refuseWithoutName(git: Git, folder: string): Promise<void> {
  const { code, stderr } = await git(["var", "GIT_COMMITTER_IDENT"]);
  if (code === 0) return;
  const why = code === 127 ? "There is no git program" : `Git cannot make a commit here: ${stderr.trim().split("\n").at(-1) ?? ""}`;
  throw refused(why, folder, 'Install git and set your name: git config --global user.name "…", and the same for user.email.');
}

async function writeProject(out: string, flags: Flags, context: Context): Promise<number> {
  const { xml, ca: authority, ...others } = flags;
  const { url = NOWHERE, target: targetName } = others;
  const ca = authority === undefined ? undefined : await copyAuthority(resolve(context.folder, authority), out, targetName);
  writeFileSync(join(out, ".gitignore"), IGNORED);
  writeFileSync(join(out, ".gitattributes"), ATTRIBUTES);
  if (xml !== undefined) {
    const { readExported } = await import("./import.js");
    importForEditors({ xml: await readExported(resolve(context.folder, xml), context), kind: panosKind, out, targetName, url, ca });
    return 0;
  }
  importForEditors({ xml: new TreeNode("config"), kind: panosKind, out, targetName, url, ca });
  const { PLUMBLINE_USER: user, PLUMBLINE_PASSWORD: password } = context.environment;
  if (flags.url === undefined || user === undefined || password === undefined) return 0;
  const { importCommand } = await import("./import.js");
  const quiet = { ...context, stdout: { write: () => undefined } };
  return await importCommand({ ...others, config: join(out, "plumbline.yaml"), out, format: "text" }, quiet, targetName);
}

/** Copies a certificate authority, so that every clone of the repository has it. Returns its path in the repository. */
async function copyAuthority(file: string, out: string, target: string): Promise<string> {
  const { ca = "" } = await readTrust({ ca: file, pin: undefined, insecure: false, plaintext: false }, target);
  const name = `certs/${toFileName(target)}-ca.pem`;
  mkdirSync(join(out, "certs"), { recursive: true });
  writeFileSync(join(out, name), ca);
  return name;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Copies all files or no file. Files that exist, or appear in the meantime, are not overwritten. */
function place(files: ReadonlyMap<string, string>, context: Context): void {
  const there = [...files.keys()].filter((file) => existsSync(file)).map((file) => relative(context.folder, file));
  if (there.length > 0) {
    const names = there.slice(0, 5).join(", ") + (there.length > 5 ? ` and ${there.length - 5} more` : "");
    throw refused(`These files exist and are not overwritten: ${names}`, there[0] ?? "", "Move them away, or use another folder.");
  }
  const placed: string[] = [];
  try {
    for (const [to, from] of files) {
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(from, to, constants.COPYFILE_EXCL);
      placed.push(to);
    }
  } catch (error) {
    for (const file of placed) rmSync(file, { force: true });
    throw error;
  }
}

/** Commits only these files. Other staged changes of an existing repository belong to its owner. */
async function commit(files: readonly string[], folder: string, isNew: boolean): Promise<void> {
  const git = gitIn(folder);
  const steps = [
    ...(isNew ? [["init", "--quiet", "--initial-branch=main"]] : []),
    ["add", "--force", "--", ...files],
    ["commit", "--quiet", "-m", "Begin the desired state", "--", ...files],
  ];
  for (const step of steps) {
    const { code, stdout, stderr } = await git(step);
    if (code === 0) continue;
    throw new PlumblineError("init-not-committed", `The files are written, but git did not commit them: ${(stderr || stdout).trim()}`, {
      where: { file: folder },
      next: "Fix the problem that git reports, and commit the files.",
    });
  }
}

function printNextSteps(files: readonly string[], folder: string, flags: Flags, context: Context): void {
  const paint = choosePaint(context.stdout, context.environment, flags.color);
  const names = files.map((file) => relative(context.folder, file));
  const where = relative(context.folder, folder);
  const config = where === "" ? "" : ` --config ${join(where, "plumbline.yaml")}`;
  const next =
    flags.url === undefined ? "write the target's address into plumbline.yaml, set PLUMBLINE_USER and PLUMBLINE_PASSWORD, then " : "";
  const lines = [...names.map((name) => `  ${paint("green", "+")} ${name}`), `  committed; next: ${next}plumbline plan${config}`];
  show(
    flags,
    context,
    () => ({ folder, files: names }),
    () => joinLines(lines),
  );
}
