import { Worker } from "node:worker_threads";
import { parseConfigurationText, readParsed } from "../../desired/configuration/read.js";
import type { KindRegistry } from "../../desired/kind.js";
import type { CommitToLoad } from "../load-commit.js";
import { expectLightVisits, thisProcess } from "./light-visits.js";
import { type LoadedTargets, loadHere, type Since } from "./loader.js";
import { errorOf, failureOf, type LoaderWord, type LoadRequest, type OwnsAnswer } from "./messages.js";

/** Runs in the forked process: receives the commit, sends the result and exits. */
export async function serveLoading(kinds: KindRegistry): Promise<void> {
  const request = await new Promise<LoadRequest>((received) => process.once("message", (message) => received(message as LoadRequest)));
  endAfter(request.patience);
  const ask = questions();
  const wanted: CommitToLoad = { ...request.wanted, kinds, owns: (...question) => ask(question) };
  const word: LoaderWord = await sinceOf(request, kinds)
    .then((since) => loadLight(wanted, since, request.visit))
    .then(({ targets, affected }) => ({ kind: "loaded", targets, affected }) as const, failureOf);
  process.send?.(word, () => process.exit(0));
}

async function loadLight(wanted: CommitToLoad, since: Since | undefined, most: number): Promise<LoadedTargets> {
  const loaded = await loadHere(wanted, since);
  // If the complete load is below the limit, each part is.
  if (thisProcess() > most) await expectLightVisits(wanted, loaded, most, thisProcess);
  return loaded;
}

async function sinceOf({ since, wanted }: LoadRequest, kinds: KindRegistry): Promise<Since | undefined> {
  if (since === undefined) return undefined;
  const { commit, author, targets, configuration: text } = since.before;
  const parsed = await parseConfigurationText(wanted.file, text, kinds);
  const { configuration } = await readParsed(parsed, { environment: wanted.environment, kinds, resolveSecrets: false });
  return { ...since, before: { commit, author, targets, parsed, configuration } };
}

function questions(): (question: Extract<LoaderWord, { kind: "owns" }>["question"]) => Promise<boolean> {
  const waiting: ((answer: OwnsAnswer["owns"]) => void)[] = [];
  process.on("message", ({ id, owns }: OwnsAnswer) => waiting[id]?.(owns));
  process.once("disconnect", () => process.exit(1));
  return async (question) => {
    const answer = await new Promise<OwnsAnswer["owns"]>((answered) => {
      const word: LoaderWord = { kind: "owns", id: waiting.push(answered) - 1, question };
      process.send?.(word);
    });
    if (typeof answer === "boolean") return answer;
    throw errorOf(answer);
  };
}

/** Uses a separate thread, because this one may hang and the parent may have ended. */
function endAfter(milliseconds: number): void {
  const code = `setTimeout(() => process.kill(process.pid, "SIGKILL"), ${Math.ceil(milliseconds)})`;
  new Worker(code, { eval: true, stdout: true, stderr: true }).unref();
}
