// Measures the parts of a push that depend on the number of targets: loading the changed target of a commit, and that target for its pass.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadChanged, loadCompletely } from "../../dist/agent/load-commit.js";
import { loadDesired } from "../../dist/desired/load.js";
import { kinds } from "../../dist/targets/registry.js";

for (const n of [1, 1000]) {
  const f = mkdtempSync(join(tmpdir(), "bench-load-"));
  mkdirSync(join(f, "d"));
  writeFileSync(
    join(f, "plumbline.yaml"),
    [
      "format: 1",
      "owner: o",
      "documents: [d]",
      "targets:",
      ...Array.from(
        { length: n },
        (_, i) =>
          `  t${i}: { kind: panos, url: "https://10.0.0.1:${8000 + i}", credentials: { username: a, password: "\${env:PW}" }, mode: enforce }`,
      ),
      "",
    ].join("\n"),
  );
  const doc = (i, k) =>
    writeFileSync(
      join(f, "d", `t${i}.yaml`),
      [
        `target: t${i}`,
        "scope: vsys1",
        "config:",
        "  address:",
        ...Array.from({ length: 50 }, (_, j) => `    h${j}: { ip-netmask: 10.${k}.0.${j} }`),
        "",
      ].join("\n"),
    );
  for (let i = 0; i < n; i++) doc(i, 0);
  const w = (c) => ({ commit: c, author: "a", file: join(f, "plumbline.yaml"), kinds, environment: { PW: "x" }, today: "2026-01-01" });
  let { index } = await loadCompletely(w("c0"));
  const t = [],
    u = [];
  for (let k = 1; k < 12; k++) {
    doc(0, k);
    let a = performance.now();
    ({ index } = await loadChanged(w(`c${k}`), index, ["d/t0.yaml"], ""));
    t.push(performance.now() - a);
    a = performance.now();
    await loadDesired(join(f, "plumbline.yaml"), {
      ...w("x"),
      parsed: index.parsed,
      documents: { files: ["d/t0.yaml"], of: new Set(["t0"]) },
      resolveSecrets: true,
      targets: ["t0"],
    });
    u.push(performance.now() - a);
  }
  const med = (x) => x.sort((a, b) => a - b)[Math.floor(x.length / 2)].toFixed(1);
  console.log(n, "targets: loadChanged", med(t), "ms, load of one target", med(u), "ms");
}
