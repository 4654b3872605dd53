import { PlumblineError } from "../core/errors.js";
import { normalHash } from "../core/file-hash.js";
import type { Artifacts } from "../desired/checks.js";
import { formatVerdict } from "../guards/verdict.js";
import type { ArtifactVerdict } from "../outcome/artifact-verdict.js";
import { meaningOf } from "../outcome/verdict-meaning.js";
import type { Images } from "./target.js";

/** Requests verdicts by hash. A value is undefined if the response omits the hash. Rejects if the service cannot be reached. */
export type ReadVerdicts = (hashes: readonly string[]) => Promise<ReadonlyMap<string, number | undefined>>;

export interface GateOptions {
  readonly read: ReadVerdicts;
  /** Undefined if the target has no image service. */
  readonly images?: Images | undefined;
}

/** Returns the verdict of each artifact in the documents. Requests each hash once. Failures are part of the result, not thrown. */
export async function judgeArtifacts(lists: readonly Artifacts[], { read, images }: GateOptions): Promise<ArtifactVerdict[]> {
  const files = (await Promise.all(lists.map((list) => filesOf(list, images)))).flat();
  const hashes = [...new Set(files.flatMap(({ hash }) => hash ?? []))];
  const answer = hashes.length === 0 ? new Map<string, number | undefined>() : await read(hashes).catch(asUnavailable);
  return files.map((file): ArtifactVerdict => {
    const { hash, image, list, why } = file;
    const unavailable = hash === undefined ? why : typeof answer === "string" ? answer : undefined;
    if (hash === undefined || typeof answer === "string")
      return { hash, image, word: "unavailable", standing: "unavailable", leniency: list.onUnavailable, why: unavailable };
    return { hash, image, ...meaningOf(answer.get(hash)), leniency: list.onUnknown };
  });
}

interface File {
  readonly hash: string | undefined;
  readonly image: string | undefined;
  readonly list: Artifacts;
  readonly why?: string;
}

async function filesOf(list: Artifacts, service: Images | undefined): Promise<File[]> {
  const images = list.images.map(async (image): Promise<File> => {
    if (service === undefined) return { hash: undefined, image, list, why: "the target has no image service" };
    const found = await service.checksum(image).catch(noChecksum);
    if (typeof found === "object") return { hash: undefined, image, list, why: found.why };
    const hash = normalHash(found ?? "");
    return {
      hash,
      image,
      list,
      ...(hash === undefined ? { why: "there is no such image, it has no checksum, or several of its name differ" } : {}),
    };
  });
  return [...list.hashes.map((hash): File => ({ hash, image: undefined, list })), ...(await Promise.all(images))];
}

function asUnavailable(error: unknown): string {
  if (error instanceof PlumblineError) return error.message.replace(/\.$/, "");
  throw error;
}

function noChecksum(error: unknown): { readonly why: string } {
  return { why: asUnavailable(error) };
}

/** Warnings for files that are neither good nor refused. */
export function artifactWarnings(verdicts: readonly ArtifactVerdict[]): string[] {
  return verdicts.filter(({ standing, leniency }) => standing !== "good" && standing !== "bad" && leniency === "warn").map(formatVerdict);
}
