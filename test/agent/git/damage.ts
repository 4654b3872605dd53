import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Ways in which a power failure, a full disk, a killed git or a person can damage a clone. `at` is from 0 (inclusive) to 1 (exclusive). */
export const DAMAGES: Readonly<Record<string, (folder: string, at: number) => void>> = {
  "a lock on the index": (folder) => writeFileSync(join(folder, ".git", "index.lock"), ""),
  "a lock on the tip": (folder) => writeFileSync(join(folder, ".git", "refs", "plumbline-agent", "tip.lock"), ""),
  "a lock on what is active": (folder) => writeFileSync(join(folder, ".git", "refs", "plumbline-agent", "in-force.lock"), ""),
  "a lock on HEAD": (folder) => writeFileSync(join(folder, ".git", "HEAD.lock"), ""),
  "a lock on packed refs": (folder) => writeFileSync(join(folder, ".git", "packed-refs.lock"), ""),
  "half an index": (folder, at) => cut(join(folder, ".git", "index"), at),
  "no index": (folder) => rmSync(join(folder, ".git", "index"), { force: true }),
  "an empty HEAD": (folder) => writeFileSync(join(folder, ".git", "HEAD"), ""),
  "an empty ref of what is active": (folder) => writeFileSync(join(folder, ".git", "refs", "plumbline-agent", "in-force"), ""),
  "an empty ref of the tip": (folder) => writeFileSync(join(folder, ".git", "refs", "plumbline-agent", "tip"), ""),
  "a ref that leads nowhere": (folder) => writeFileSync(join(folder, ".git", "refs", "plumbline-agent", "in-force"), `${"1".repeat(40)}\n`),
  "settings that are no settings": (folder) => writeFileSync(join(folder, ".git", "config"), "[core\nnonsense"),
  "half an object": (folder, at) => cut(anObject(folder, at), at),
  "an object less": (folder, at) => rmSync(anObject(folder, at), { force: true }),
  "no objects": (folder) => rmSync(join(folder, ".git", "objects"), { recursive: true, force: true }),
  "no repository": (folder) => rmSync(join(folder, ".git"), { recursive: true, force: true }),
  "no clone": (folder) => rmSync(folder, { recursive: true, force: true }),
  "no documents": (folder) => rmSync(join(folder, "edge"), { recursive: true, force: true }),
};

/** Objects must not be written to, so that they are put in their own place. */
function cut(file: string, at: number): void {
  if (!existsSync(file)) return;
  const whole = readFileSync(file);
  rmSync(file);
  writeFileSync(file, whole.subarray(0, Math.floor(whole.length * at)));
}

function anObject(folder: string, at: number): string {
  const objects = join(folder, ".git", "objects");
  const files = readdirSync(objects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".idx") && !entry.parentPath.endsWith("info"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return files[Math.floor(at * files.length)] ?? join(objects, "none");
}
