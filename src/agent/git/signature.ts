import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, cp, mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import type { SignaturePolicy } from "../../desired/configuration/agent.js";
import type { GitResult } from "../../engine/checkout/git.js";
import { hasValidKey } from "../../engine/ssh-signature.js";
import type { Clone, Tip } from "./clone.js";
import { gpgVerdict, type SignatureVerdict, sshVerdict } from "./signature-verdict.js";

const PRIVATE = new Set(["private-keys-v1.d", "openpgp-revocs.d", "random_seed"]);

type Kind = "ssh" | "gpg" | "x509";

interface Signed {
  /** Object type, for messages and for `git verify-commit` or `git verify-tag`. */
  readonly what: "commit" | "tag";
  readonly object: string;
  readonly name: string;
  readonly kind: Kind;
  /** The signature as the object contains it, armored. */
  readonly signature: string;
}

/**
 * Checks a commit against the signature policy. If the agent follows a tag that has a signature of its own, that signature
 * counts. An SSH key must be valid now: git compares its expiry with the date in the commit, which the author chooses.
 * @param wasInForce The commit was accepted before. It stays accepted if its key has expired since.
 * @throws PlumblineError `commit-unsigned`, `commit-signature-refused` (both refused)
 */
export async function requireSignature(clone: Clone, tip: Tip, policy: SignaturePolicy | undefined, wasInForce = false): Promise<void> {
  if (policy === undefined) return;
  const signed = (await signedTag(clone, tip, wasInForce)) ?? (await signedCommit(clone, tip.commit));
  if (signed === undefined) throw unsigned(tip);
  if (signed.kind === "x509" || (policy.require !== "any" && policy.require !== signed.kind)) {
    const wanted = policy.require === "any" ? "ssh or gpg" : policy.require;
    throw refused(signed, `the signature type is ${signed.kind}, and ${wanted} is required`);
  }
  const verdict = signed.kind === "ssh" ? await judgeSsh(clone, signed, policy) : await judgeGpg(clone, signed, policy);
  if (verdict.is === "good" || (verdict.is === "expired" && wasInForce)) return;
  throw refused(signed, verdict.why, verdict.signer);
}

async function judgeSsh(clone: Clone, signed: Signed, { allowedSigners }: SignaturePolicy): Promise<SignatureVerdict> {
  if (allowedSigners !== undefined) {
    await access(allowedSigners, constants.R_OK).catch((cause: unknown) => {
      throw refused(signed, `the file of allowed signers, ${allowedSigners}, cannot be read (${reasonOf(cause)})`);
    });
  }
  const settings = allowedSigners === undefined ? [] : ["-c", `gpg.ssh.allowedSignersFile=${allowedSigners}`];
  const result = await verify(clone, signed, settings, undefined);
  const verdict = sshVerdict(result.stderr, result.code === 0);
  if (verdict.is !== "good") return verdict;
  const file = await clone.allowedSigners(allowedSigners);
  const isValidNow = file !== undefined && (await hasValidKey(signed.signature, file));
  return isValidNow ? verdict : { ...verdict, is: "expired", why: "the key that signed it has expired" };
}

async function judgeGpg(clone: Clone, signed: Signed, { keyring }: SignaturePolicy): Promise<SignatureVerdict> {
  if (keyring === undefined) {
    const result = await verify(clone, signed, [], undefined);
    return gpgVerdict(result.stderr, result.code === 0, false);
  }
  await readdir(keyring).catch((cause: unknown) => {
    throw refused(signed, `the keyring ${keyring} cannot be read (${reasonOf(cause)})`);
  });
  return await withCopyOf(keyring, clone.stateFolder, async (copy) => {
    const result = await verify(clone, signed, [], copy);
    return gpgVerdict(result.stderr, result.code === 0, true);
  });
}

async function verify(
  clone: Clone,
  { what, object }: Signed,
  settings: readonly string[],
  keyring: string | undefined,
): Promise<GitResult> {
  return await clone.verifying(keyring)([...settings, `verify-${what}`, "--raw", object]);
}

/** Reads the kind of the signature from the object, because git accepts any kind. */
async function signedCommit(clone: Clone, commit: string): Promise<Signed | undefined> {
  const { stdout } = await clone.run(["cat-file", "commit", commit]);
  const header = stdout.slice(0, stdout.indexOf("\n\n"));
  const signature = /^gpgsig(?:-sha256)? (.*(?:\n .*)*)$/m.exec(header)?.[1]?.replaceAll("\n ", "\n");
  if (signature === undefined) return undefined;
  return { what: "commit", object: commit, name: commit.slice(0, 12), kind: kindOf(signature.split("\n", 1)[0] ?? ""), signature };
}

/** The signed content includes the name of the tag, so a signed tag cannot be presented under another name. */
async function signedTag(clone: Clone, { tag }: Tip, wasInForce: boolean): Promise<Signed | undefined> {
  if (tag === undefined) return undefined;
  const { stdout } = await clone.run(["cat-file", "tag", tag]);
  const begin = [...stdout.matchAll(/^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/gm)].at(-1)?.[0];
  if (begin === undefined) return undefined;
  const name = /^tag (.*)$/m.exec(stdout.slice(0, stdout.indexOf("\n\n")))?.[1] ?? "";
  const signature = stdout.slice(stdout.lastIndexOf(begin));
  const signed: Signed = { what: "tag", object: tag, name, kind: kindOf(begin), signature };
  if (name === clone.tag || wasInForce) return signed;
  throw refused({ ...signed, name: clone.tag ?? "" }, `the signature belongs to another tag, ${name}`);
}

function kindOf(begin: string): Kind {
  if (begin.includes("BEGIN SSH SIGNATURE")) return "ssh";
  return begin.includes("BEGIN SIGNED MESSAGE") ? "x509" : "gpg";
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}

function unsigned({ commit, tag }: Tip): PlumblineError {
  const short = commit.slice(0, 12);
  return new PlumblineError(
    "commit-unsigned",
    tag === undefined ? `Commit ${short} is not signed.` : `Neither the tag nor commit ${short} is signed.`,
    {
      next: `Sign it (${tag === undefined ? "" : "git tag -s -f, or "}git commit -S --amend, or sign the merge) and push; until then the last good commit stays active.`,
      severity: "refused",
    },
  );
}

function refused({ what, name }: Signed, why: string, signer = ""): PlumblineError {
  return new PlumblineError(
    "commit-signature-refused",
    `The signature of ${what} ${name} is not accepted: ${why}${signer === "" ? "" : ` (${signer})`}.`,
    {
      next: "Let a trusted person sign it, or add the key to agent.source.signatures. The last accepted commit stays active.",
      severity: "refused",
    },
  );
}

/**
 * Runs `work` with a copy of a GnuPG home folder. gpg writes to its home folder even when it only verifies, and the agent may have no write
 * access there. Secret keys are not copied.
 */
async function withCopyOf<T>(keyring: string, stateFolder: string, work: (copy: string) => Promise<T>): Promise<T> {
  const copies = join(stateFolder, "agent", "keyring");
  const copy = join(copies, randomBytes(4).toString("hex"));
  await mkdir(copies, { recursive: true, mode: 0o700 });
  try {
    await mkdir(copy, { mode: 0o700 });
    await cp(keyring, copy, { recursive: true, filter: (source) => !isLeftOut(basename(source)) });
    return await work(copy);
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** Sockets and locks belong to running programs. */
function isLeftOut(name: string): boolean {
  return PRIVATE.has(name) || name.startsWith("S.") || name.startsWith(".#lk") || name.endsWith(".lock");
}
