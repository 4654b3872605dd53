import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommitIndex } from "../../src/agent/commit-index.js";
import { type CommitToLoad, type LoadedCommit, loadChanged, loadCompletely } from "../../src/agent/load-commit.js";
import { kinds } from "../../src/targets/registry.js";
import { addresses } from "./world.js";

const TARGETS = ["a", "b", "c", "d"];

/** A desired state of memory targets: `b` refers to `a`, `c` to `b`; `d` has a secret in a file. */
class Repository {
  readonly folder = mkdtempSync(join(tmpdir(), "load-commit-"));
  #commits = 0;

  constructor() {
    this.configure();
    this.write("docs/a.yaml", addresses("a", { one: "10.0.0.1" }));
    this.write(
      "docs/b.yaml",
      addresses("b", {
        two: `"\${a:/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='one']/ip-netmask}"`,
      }),
    );
    this.write(
      "docs/c.yaml",
      addresses("c", {
        three: `"\${b:/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='two']/ip-netmask}"`,
      }),
    );
    this.write("docs/d.yaml", "target: d\nscope: device\nconfig:\n  deviceconfig:\n    system:\n      login-banner: ${file:banner.txt}\n");
    this.write("banner.txt", "hello\n");
    this.write("README.md", "x\n");
  }

  configure(more = ""): void {
    const rows = TARGETS.map((name) => `  ${name}: { kind: memory, file: ${name}.xml }`);
    this.write("plumbline.yaml", ["format: 1", "owner: o", "documents: [docs]", "targets:", ...rows, more, ""].join("\n"));
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  remove(file: string): void {
    rmSync(join(this.folder, file));
  }

  toLoad(): CommitToLoad {
    this.#commits += 1;
    return {
      commit: `c${this.#commits}`,
      author: "Ann",
      file: join(this.folder, "plumbline.yaml"),
      kinds,
      environment: {},
      hidden: [],
      owns: async () => false,
      today: "2026-01-01",
    };
  }

  async whole(): Promise<CommitIndex> {
    return (await loadCompletely(this.toLoad())).index;
  }

  async changed(before: CommitIndex, ...files: string[]): Promise<LoadedCommit> {
    return await loadChanged(this.toLoad(), before, files, "");
  }
}

const sorted = (names: Iterable<string>) => [...names].sort();

describe("the targets of a commit", () => {
  it("of a shared document are the selected ones, with their own documents, and no others", async () => {
    const repository = new Repository();
    const shared = (targets: string, address: string) => addresses("a", { shared: address }).replace("target: a", `targets: ${targets}`);
    repository.write("docs/shared.yaml", shared("[c, d]", "10.0.0.9"));
    const before = await repository.whole();
    repository.write("docs/shared.yaml", shared("[c, d]", "10.0.0.8"));
    const second = await repository.changed(before, "docs/shared.yaml");
    expect(sorted(second.affected)).toEqual(["c", "d"]);
    expect(second.index.targets.get("c")?.files).toEqual(["docs/c.yaml", "docs/shared.yaml"]);
    repository.write("docs/shared.yaml", shared("[d]", "10.0.0.8"));
    const third = await repository.changed(second.index, "docs/shared.yaml");
    expect(sorted(third.affected)).toEqual(["c", "d"]);
    expect(third.index.targets.get("c")?.files).toEqual(["docs/c.yaml"]);
    repository.write("docs/d.yaml", "target: d\nscope: device\nconfig:\n  deviceconfig:\n    system:\n      login-banner: none\n");
    const fourth = await repository.changed(third.index, "docs/d.yaml");
    expect(sorted(fourth.affected)).toEqual(["d"]);
    expect(fourth.index.targets.get("d")?.files).toEqual(["docs/d.yaml", "docs/shared.yaml"]);
  });
  it.each([
    ["a document", "docs/d.yaml", ["d"]],
    ["a document that others refer to, and they by still others", "docs/a.yaml", ["a", "b", "c"]],
    ["a file that a secret is in", "banner.txt", ["d"]],
    ["a file that is nobody's", "README.md", []],
  ])("%s", async (_, file, affected) => {
    const repository = new Repository();
    const before = await repository.whole();
    const text =
      file === "docs/d.yaml" ? "target: d\nscope: device\nconfig:\n  deviceconfig:\n    system:\n      login-banner: bye\n" : undefined;
    if (file === "docs/a.yaml") repository.write(file, addresses("a", { one: "10.0.0.9" }));
    else repository.write(file, text ?? "changed\n");
    const loaded = await repository.changed(before, file);
    expect(sorted(loaded.affected)).toEqual(affected);
    expect(
      [...loaded.index.targets]
        .filter(([, { since }]) => since === "c2")
        .map(([name]) => name)
        .sort(),
    ).toEqual(affected);
    expect(sorted(loaded.index.targets.keys())).toEqual(TARGETS);
  });

  it("of plumbline.yaml are the changed target, or every target for a global change", async () => {
    const repository = new Repository();
    const before = await repository.whole();
    repository.write(
      "plumbline.yaml",
      (await import("node:fs"))
        .readFileSync(join(repository.folder, "plumbline.yaml"), "utf8")
        .replace("file: d.xml", "file: d.xml, mode: enforce"),
    );
    const one = await repository.changed(before, "plumbline.yaml");
    expect(sorted(one.affected)).toEqual(["d"]);
    repository.configure("guards: { updates: 10% }");
    expect(sorted((await repository.changed(one.index, "plumbline.yaml")).affected)).toEqual(TARGETS);
    repository.configure("agent: { healLimit: 9 }");
    const quiet = await repository.changed(await repository.whole(), "plumbline.yaml");
    expect(sorted(quiet.affected)).toEqual([]);
  });

  it("include those of a new, moved or deleted document", async () => {
    const repository = new Repository();
    const before = await repository.whole();
    repository.write("docs/a2.yaml", addresses("a", { more: "10.0.0.2" }));
    const added = await repository.changed(before, "docs/a2.yaml");
    expect(sorted(added.affected)).toEqual(["a", "b", "c"]);
    expect(added.index.targets.get("a")?.files).toEqual(["docs/a.yaml", "docs/a2.yaml"]);
    repository.remove("docs/a2.yaml");
    repository.write("docs/d2.yaml", addresses("d", { more: "10.0.0.2" }));
    const moved = await repository.changed(added.index, "docs/a2.yaml", "docs/d2.yaml");
    expect(sorted(moved.affected)).toEqual(TARGETS);
    expect(moved.index.targets.get("a")?.files).toEqual(["docs/a.yaml"]);
  });

  it("include a newly referenced target", async () => {
    const repository = new Repository();
    const before = await repository.whole();
    repository.write(
      "docs/d.yaml",
      addresses("d", {
        four: `"\${c:/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='three']/ip-netmask}"`,
      }),
    );
    const loaded = await repository.changed(before, "docs/d.yaml");
    expect(sorted(loaded.affected)).toEqual(["d"]);
    expect(sorted(loaded.index.targets.get("d")?.references.targets ?? [])).toEqual(["c"]);
  });

  it("include referrers, and the commit is invalid if one breaks", async () => {
    const repository = new Repository();
    const before = await repository.whole();
    repository.write("docs/a.yaml", "target: a\nscope: vsys1\nconfig:\n  address: [\n");
    await expect(repository.changed(before, "docs/a.yaml")).rejects.toBeInstanceOf(Error);
    repository.write("docs/x.yaml", "no target here: 1\n");
    await expect(repository.changed(before, "docs/x.yaml")).rejects.toBeInstanceOf(Error);
  });

  it("are the same for partial and complete loads", async () => {
    const repository = new Repository();
    const before = await repository.whole();
    repository.write("docs/a.yaml", addresses("a", { one: "10.0.0.9", other: "10.0.0.8" }));
    repository.write("docs/c2.yaml", addresses("c", { five: "10.0.0.5" }));
    const parts = await repository.changed(before, "docs/a.yaml", "docs/c2.yaml");
    const whole = await repository.whole();
    const shape = (index: CommitIndex) =>
      sorted(index.targets.keys()).map((name) => {
        const target = index.targets.get(name);
        return [name, target?.files, sorted(target?.references.targets ?? []), target?.references.secrets.map(({ text }) => text)];
      });
    expect(shape(parts.index)).toEqual(shape(whole));
  });
});
