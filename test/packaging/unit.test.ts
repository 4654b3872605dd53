import { execFileSync, spawn } from "node:child_process";
import { chownSync, lchownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { leaveOut } from "../left-out.js";
import { settingsOf } from "./unit.js";

const UNIT = "packaging/plumbline.service";
const NOBODY = 65_534;
/** The agent is the first process of its own, as in a container. */
const NAMESPACES = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"] as const;
const unit = readFileSync(UNIT, "utf8");
const service = settingsOf(unit, "Service");
const setting = (name: string): string => service.find(([key]) => key === name)?.[1] ?? "";

const works = (program: string, ...words: string[]): boolean => {
  try {
    execFileSync(program, words, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const hasSystemd = works("systemd-analyze", "--version");
if (!hasSystemd) leaveOut("systemd's own look at the unit: systemd-analyze is not here");

const mayMount = process.getuid?.() === 0 && works("unshare", ...NAMESPACES, "true") && works("setpriv", "--version");
if (!mayMount) leaveOut("the unit's command as another user: this needs root, unshare and setpriv");

describe("the systemd unit", () => {
  it("gives the agent its state folder, and no other writable place", () => {
    const wanted = {
      DynamicUser: "yes",
      StateDirectory: "plumbline",
      StateDirectoryMode: "0700",
      ProtectSystem: "strict",
      ProtectHome: "yes",
      NoNewPrivileges: "yes",
      CapabilityBoundingSet: "",
      KillSignal: "SIGTERM",
      KillMode: "mixed",
    };
    expect(Object.fromEntries(Object.keys(wanted).map((name) => [name, setting(name)]))).toEqual(wanted);
    expect(service.filter(([name]) => name === "ReadWritePaths" || name === "User")).toEqual([]);
    expect(unit).not.toMatch(/(PASSWORD|TOKEN|SECRET)\w*=/);
  });

  it.skipIf(!hasSystemd)("is valid for systemd, with a low exposure score", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-unit-"));
    try {
      const file = join(folder, "plumbline.service");
      writeFileSync(file, unit.replace("/usr/bin/plumbline", "/bin/true"));
      expect(execFileSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })).toBe(
        "",
      );
      // 10 is all that a process can be exposed to; above the threshold it ends with an error.
      execFileSync("systemd-analyze", ["security", "--offline=yes", "--threshold=20", file], { stdio: "ignore" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(!mayMount)("has a command that another user can run with only the state folder writable", async () => {
    const folder = mkdtempSync("/var/tmp/plumbline-unit-");
    try {
      const state = join(folder, "state");
      const repository = join(folder, "repository");
      prepare(repository);
      const checkout = join(folder, "checkout");
      mkdirSync(state);
      mkdirSync(checkout);
      giveAway(folder);
      const agent = start(state, repository, checkout);
      try {
        const url = await agent.said(/metrics and webhook at (http:\S+),/);
        const drift = await agent.said(/drift: (.*)/);
        expect(drift).toContain("/address/entry[@name='web']");
        expect((await fetch(`${url}/readyz`)).status).toBe(200);
        const metrics = await (await fetch(`${url}/metrics`)).text();
        expect(metrics).toContain("plumbline_up 1\n");
        expect(metrics).toMatch(/^plumbline_commit_in_force_info\{commit="[0-9a-f]{40}"\} 1$/m);
        expect(await agent.said(/(root cannot write)/)).toBe("root cannot write");
      } finally {
        agent.end();
      }
      expect(await agent.ended).toBe(0);
      expect(readdirSync(state)).toContain("plumbline.db");
      expect(await agent.said(/(stopped)/)).toBe("stopped");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** A repository with a target that is a file and has pending changes. */
function prepare(repository: string): void {
  mkdirSync(join(repository, "edge"), { recursive: true });
  const configuration = [
    "format: 1",
    "owner: netops",
    "documents: [edge]",
    "targets:",
    "  edge: { kind: memory, file: live.xml, mode: observe }",
  ];
  writeFileSync(join(repository, "plumbline.yaml"), `${configuration.join("\n")}\n`);
  writeFileSync(join(repository, "edge/web.yaml"), "target: edge\nscope: shared\nconfig:\n  address:\n    web: { ip-netmask: 10.0.0.1 }\n");
  writeFileSync(join(repository, "live.xml"), '<config version="11.1.0"><shared><address/></shared></config>');
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { stdio: "ignore" });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
}

function giveAway(path: string): void {
  lchownSync(path, NOBODY, NOBODY);
  for (const each of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, each.name);
    if (each.isDirectory()) giveAway(inside);
    else chownSync(inside, NOBODY, NOBODY);
  }
}

/**
 * The unit's command, environment and limits, as far as possible without systemd. The folder `checkout` is this checkout, which another
 * user may not be able to read.
 */
function start(state: string, repository: string, checkout: string) {
  const environment = service
    .filter(([name]) => name === "Environment")
    .flatMap(([, value]) => value.split(" "))
    .map((pair) => pair.replace("/var/lib/plumbline", state));
  const options = ["--source", repository, "--port", "0"];
  const command = setting("ExecStart").replace("/usr/bin/plumbline", `${process.execPath} ${join(checkout, "dist/cli.js")}`);
  const words = command.split(" ").flatMap((word) => (word === "$PLUMBLINE_OPTIONS" ? options : [word]));
  const script = `
    set -e
    mount --make-rprivate /
    mount --bind "${state}" "${state}"
    mount --bind "${process.cwd()}" "${checkout}"
    mount -o remount,bind,ro "${checkout}"
    mount -o remount,bind,ro /
    mount -t tmpfs tmpfs /tmp
    if touch /plumbline-was-here 2>/dev/null; then rm /plumbline-was-here; echo root can write; else echo root cannot write; fi
    umask ${setting("UMask")}
    cd "${state}"
    exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all env -i PATH="$PATH" "$@"`;
  const child = spawn("unshare", [...NAMESPACES, "sh", "-c", script, "sh", ...environment, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let heard = "";
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const each of [...waiting]) each();
  };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      heard += String(chunk);
      wake();
    });
  const ended = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
    wake();
  });
  return {
    ended,
    end: () => {
      const [first] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
      process.kill(Number(first), setting("KillSignal") as NodeJS.Signals);
    },
    /** The first group of a match in its past or future output. */
    said: (pattern: RegExp) =>
      new Promise<string>((done, fail) => {
        const look = (): void => {
          const found = pattern.exec(heard)?.[1];
          if (found === undefined && !isOver) return;
          waiting.delete(look);
          if (found === undefined) fail(new Error(`it ended without saying ${String(pattern)}:\n${heard}`));
          else done(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
