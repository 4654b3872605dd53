import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leaveOut } from "../../left-out.js";
import { buildImage, type Image } from "./build.js";
import { inRoot, startedInRoot, type Way } from "./root.js";

const works = (program: string, ...words: string[]): boolean => {
  try {
    execFileSync(program, words, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const mayBuild = process.getuid?.() === 0 && works("unshare", "--mount", "--pid", "--fork", "true") && works("debootstrap", "--version");
if (!mayBuild) leaveOut("the container image: building it here needs root, unshare and debootstrap (test/packaging/image/install-tools)");

/** A slow machine that builds the base for the first time. */
const PATIENCE = 900_000;
/** The user of the program in the image. */
const NODE = 1000;
/** Another user owns the mounted checkout. */
const OTHER = 1234;

describe.skipIf(!mayBuild)("the container image", { timeout: PATIENCE }, () => {
  const home = mkdtempSync(join(tmpdir(), "plumbline-image-"));
  const work = join(home, "work");
  const state = join(home, "state");
  let image: Image;

  beforeAll(async () => {
    image = await buildImage(process.cwd(), home);
    project(work);
    mkdirSync(state);
    chownSync(state, NODE, NODE);
  }, PATIENCE);

  afterAll(() => rmSync(home, { recursive: true, force: true }), PATIENCE);

  /** As `docker run --read-only --cap-drop ALL --security-opt no-new-privileges --tmpfs /tmp -v …:/work:ro`. */
  const hardened = (): Way => ({
    cwd: image.workdir,
    env: { HOME: "/home/node", ...image.environment },
    user: NODE,
    isReadOnly: true,
    mounts: { "/work": work, [image.volumes[0] ?? ""]: state },
  });
  const run = (...words: string[]): Promise<string> => inRoot(image.root, [...image.entrypoint, ...words], hardened());

  it("runs as the user node, with its folders", async () => {
    expect(image.user).toBe("node");
    expect(await inRoot(image.root, ["stat", "-c", "%U %a", "/var/lib/plumbline", "/work"])).toBe("node 700\nnode 755\n");
  });

  it("prints its version, with the Node of its base image", async () => {
    expect(await run("--version")).toBe(`${(JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version}\n`);
    expect(await inRoot(image.root, ["node", "--version"])).toBe(`v${/^# Node (\S+)/m.exec(readFileSync("Dockerfile", "utf8"))?.[1]}\n`);
  });

  it("plans a mounted repository of any owner without writing to it", async () => {
    const planned = await resultOf(() => run(...image.command));
    expect(planned.output).toContain("+ web");
    expect(planned.status).toBe(2);
    expect(readdirSync(work).sort()).toEqual([".git", "edge", "live.xml", "plumbline.yaml"]);
  });

  it("has git, ssh and gpg, and no build tools", async () => {
    for (const program of ["git", "ssh", "gpg"]) expect(await inRoot(image.root, ["which", program])).toContain(program);
    const inside = readdirSync(join(image.root, "plumbline"), { recursive: true, encoding: "utf8" });
    expect(inside.filter((file) => /^dist\/.*\.map$|(^|\/)(typescript|vitest|esbuild)$|^(src|test)\/|\.env/.test(file))).toEqual([]);
    expect(inside).toContain("sbom.cdx.json");
    for (const left of ["build", "root/.npm/_cacache", "var/lib/apt/lists/auxfiles"])
      expect(existsSync(join(image.root, left)), left).toBe(false);
  });

  it("runs an agent that is healthy and ends on SIGTERM", async () => {
    const agent = startedInRoot(image.root, [...image.entrypoint, "agent", "--source", "/work", "--port", "0"], hardened());
    let heard = "";
    const port = await new Promise<string>((done, fail) => {
      const listen = (chunk: Buffer): void => {
        heard += String(chunk);
        const found = /metrics and webhook at http:\S+?:(\d+)/.exec(heard)?.[1];
        if (found !== undefined) done(found);
      };
      agent.stdout?.on("data", listen);
      agent.stderr?.on("data", listen);
      agent.once("close", () => fail(new Error(`it ended:\n${heard}`)));
    });
    const ended = new Promise<number | null>((done) => agent.once("close", done));
    const check = async (at: string) =>
      (await resultOf(() => inRoot(image.root, image.healthCheck, { env: { PLUMBLINE_PORT: at } }))).status;
    expect(await check(port)).toBe(0);
    const [first] = readFileSync(`/proc/${agent.pid}/task/${agent.pid}/children`, "utf8").trim().split(" ");
    process.kill(Number(first), "SIGTERM");
    expect(await ended).toBe(0);
    expect(await check(port)).toBe(1);
    expect(readdirSync(state)).not.toEqual([]);
  });
});

/** Output and exit status of a run in the image. */
async function resultOf(run: () => Promise<string>): Promise<{ readonly status: number; readonly output: string }> {
  try {
    return { status: 0, output: await run() };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, output: `${stdout}${stderr}` };
  }
}

/** A checkout of another user with one firewall, as a file, that lacks one address. */
function project(at: string): void {
  mkdirSync(join(at, "edge"), { recursive: true });
  writeFileSync(
    join(at, "plumbline.yaml"),
    "format: 1\nowner: netops\ndocuments: [edge]\ntargets:\n  edge: { kind: memory, file: live.xml, mode: observe }\n",
  );
  writeFileSync(join(at, "edge/web.yaml"), "target: edge\nscope: shared\nconfig:\n  address:\n    web: { ip-netmask: 10.0.0.1 }\n");
  writeFileSync(join(at, "live.xml"), '<config version="11.1.0"><shared><address/></shared></config>');
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", at, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { stdio: "ignore" });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  execFileSync("chown", ["--recursive", `${OTHER}:${OTHER}`, at]);
}
