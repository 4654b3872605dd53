import { createHash } from "node:crypto";

/** A file that the lab's verdict service knows. */
export interface KnownFile {
  /** 64 hexadecimal digits, lower case. */
  readonly sha256: string;
  /** 32 hexadecimal digits, lower case. */
  readonly md5: string;
  /** 1 malicious, 0 benign, and the other values in docs/contributing/devices/verdict-service.md. */
  readonly verdict: number;
}

/**
 * Returns the file with this content.
 *
 * @internal For tests of the lab.
 */
export function fileOf(content: string, verdict: number): KnownFile {
  const digest = (algorithm: string): string => createHash(algorithm).update(content).digest("hex");
  return { sha256: digest("sha256"), md5: digest("md5"), verdict };
}

const DEMO: readonly (readonly [word: string, verdict: number])[] = [
  ["benign", 0],
  ["malicious", 1],
  ["grayware", 2],
  ["phishing", 4],
  ["command-and-control", 5],
  ["pending", -100],
  ["error", -101],
];

const EMPTY = fileOf("", 0);

/**
 * Files that every lab knows: one for each verdict, with the content `plumbline lab: WORD` without a line end, and the empty file. Like the
 * real service, the lab has a second file with the empty file's MD5 (docs/contributing/devices/verdict-service.md).
 */
export const DEMO_FILES: readonly KnownFile[] = [
  ...DEMO.map(([word, verdict]) => fileOf(`plumbline lab: ${word}`, verdict)),
  EMPTY,
  { ...fileOf("plumbline lab: twin of the empty file", 0), md5: EMPTY.md5 },
];

/** Files by SHA-256 and MD5, and the times of their verdicts. */
export class KnownFiles {
  readonly #byHash = new Map<string, KnownFile[]>();
  readonly #since = new Map<string, number>();

  /** Adds a file. Replaces the previous verdict of a known file. `now` is in milliseconds since 1970. */
  add(file: KnownFile, now: number): void {
    const known: KnownFile = { sha256: file.sha256.toLowerCase(), md5: file.md5.toLowerCase(), verdict: file.verdict };
    for (const hash of [known.sha256, known.md5]) {
      const others = (this.#byHash.get(hash) ?? []).filter((each) => each.sha256 !== known.sha256);
      this.#byHash.set(hash, [...others, known]);
    }
    this.#since.set(known.sha256, now);
  }

  find(hash: string): readonly KnownFile[] {
    return this.#byHash.get(hash.toLowerCase()) ?? [];
  }

  /** Returns files whose verdict was set at or after `time`. */
  since(time: number): readonly KnownFile[] {
    return [...this.#since].filter(([, since]) => since >= time).flatMap(([sha256]) => this.find(sha256));
  }
}
