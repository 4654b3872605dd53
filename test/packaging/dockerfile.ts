export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Stages of a Dockerfile, each from its `FROM`: continued lines joined, comments gone. */
export function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [name = "", ...rest] = line.split(/\s+/);
    if (!INSTRUCTIONS.has(name)) throw new Error(`no instruction: ${line}`);
    if (name === "FROM") stages.push([]);
    stages.at(-1)?.push({ name, text: rest.join(" ") });
  }
  return stages;
}

const INSTRUCTIONS = new Set([
  "FROM",
  "RUN",
  "CMD",
  "LABEL",
  "EXPOSE",
  "ENV",
  "ADD",
  "COPY",
  "ENTRYPOINT",
  "VOLUME",
  "USER",
  "WORKDIR",
  "ARG",
  "STOPSIGNAL",
  "HEALTHCHECK",
]);

/** Objections of a reviewer: the relevant rules of hadolint, and rules of this project. */
export function faultsOf(dockerfile: string): string[] {
  const stages = stagesOf(dockerfile);
  const all = stages.flat();
  const last = stages.at(-1) ?? [];
  const texts = (name: string, of = last): string[] => of.filter((each) => each.name === name).map(({ text }) => text);
  const faults: string[] = [];
  const expectThat = (isTrue: boolean, fault: string): void => void (isTrue || faults.push(fault));
  for (const from of texts("FROM", all)) {
    const [image = ""] = from.split(" ");
    const [name = "", digest = ""] = image.split("@");
    expectThat(/:[^:/]+$/.test(name) && !name.endsWith(":latest"), `${name} has no tag of its own`);
    expectThat(/^sha256:[0-9a-f]{64}$/.test(digest), `${name} has no digest`);
  }
  expectThat(stages.length === 2, "not two stages");
  const user = texts("USER").at(-1);
  expectThat(user !== undefined && !/^(root|0)(:|$)/.test(user), "runs as root");
  expectThat(
    texts("HEALTHCHECK").some((text) => text.includes("CMD")),
    "no health check",
  );
  expectThat(
    texts("STOPSIGNAL").every((text) => text === "SIGTERM"),
    "another signal than SIGTERM ends it",
  );
  expectThat(
    texts("ENTRYPOINT").every((text) => text.startsWith("[")),
    "a shell stands between the engine and the program",
  );
  expectThat(texts("ENTRYPOINT").length === 1, "no entry point");
  expectThat(
    texts("RUN").some((text) => text.includes("npm ci --omit=dev")),
    "development tools are in the image",
  );
  expectThat(
    texts("RUN").some((text) => /npm ci .*&& rm -rf [^&]*node_modules\/@libsql\/\*-musl/.test(text)),
    "libraries for musl are in the image",
  );
  expectThat(
    texts("RUN").some((text) => /npm ci .*&& find node_modules -name '\*\.map' -delete/.test(text)),
    "source maps are in the image",
  );
  expectThat(!all.some(({ name }) => name === "ADD"), "ADD fetches and unpacks");
  for (const run of texts("RUN", all)) {
    expectThat(
      !/apt-get install/.test(run) || (/--no-install-recommends/.test(run) && /rm -rf \/var\/lib\/apt\/lists/.test(run)),
      "apt leaves things",
    );
    expectThat(!/\bsudo\b|curl[^|]*\|\s*(ba)?sh/.test(run), "sudo, or a script from the net");
  }
  for (const { name, text } of all.filter(({ name }) => name === "ENV" || name === "ARG"))
    expectThat(!/(PASSWORD|SECRET|TOKEN|API_?KEY)\w*[= ]/i.test(text), `${name} holds a secret`);
  const order = last.map(({ name }) => name);
  expectThat(order.lastIndexOf("RUN") < order.indexOf("USER"), "work is done after USER");
  expectThat(
    !texts("COPY").some((text) => /^(?!--from)\S*\.\s/.test(text) || text.startsWith(". ")),
    "the whole folder is copied into the image",
  );
  return faults;
}
