import type { SignaturePolicy } from "../../desired/configuration/agent.js";
import { PlumblineError } from "../../errors.js";
import type { Clone } from "./clone.js";

type Kind = "ssh" | "gpg" | "none";

/**
 * Holds a commit to the policy: signed, in the wanted way, by somebody whom the machine trusts.
 * @throws PlumblineError `commit-unsigned`, `commit-signature-refused` (both refused)
 */
export async function requireSignature(clone: Clone, commit: string, policy: SignaturePolicy | undefined): Promise<void> {
  if (policy === undefined) return;
  const kind = await kindOf(clone, commit);
  const short = commit.slice(0, 12);
  if (kind === "none") {
    throw new PlumblineError("commit-unsigned", `Commit ${short} is not signed.`, {
      next: "Sign it (git commit -S --amend, or sign the merge) and push; until then the last good commit stays in force.",
      severity: "refused",
    });
  }
  if (policy.require !== "any" && policy.require !== kind)
    throw refused(short, `it is signed with ${kind}, and ${policy.require} is required`);
  const settings = policy.allowedSigners === undefined ? [] : ["-c", `gpg.ssh.allowedSignersFile=${policy.allowedSigners}`];
  const result = await clone.verifying(policy.keyring)([...settings, "log", "-1", "--no-show-signature", "--format=%G?%n%GS%n%GF", commit]);
  if (result.code !== 0) throw refused(short, "git cannot judge it");
  const [verdict = "E", signer = ""] = result.stdout.split("\n");
  const good = verdict === "G" || (verdict === "U" && kind === "gpg" && policy.keyring !== undefined);
  if (!good) throw refused(short, WORDS[verdict] ?? "it cannot be checked", signer);
}

const WORDS: Readonly<Record<string, string>> = {
  B: "the signature is bad",
  U: "whoever signed it is not among those that are trusted",
  X: "the signature has expired",
  Y: "the key that signed it has expired",
  R: "the key that signed it was revoked",
  E: "the key that signed it is not known here",
  N: "there is no signature",
};

function refused(commit: string, why: string, signer = ""): PlumblineError {
  return new PlumblineError(
    "commit-signature-refused",
    `The signature of commit ${commit} is not accepted: ${why}${signer === "" ? "" : ` (${signer})`}.`,
    {
      next: "Let somebody who is trusted sign it, or add the key to agent.source.signatures; the last good commit stays in force.",
      severity: "refused",
    },
  );
}

/** By what the commit itself says: git would take either. */
async function kindOf(clone: Clone, commit: string): Promise<Kind> {
  const { stdout } = await clone.run(["cat-file", "commit", commit]);
  const header = stdout.slice(0, stdout.indexOf("\n\n"));
  const line = /^gpgsig(?:-sha256)? (.*)$/m.exec(header)?.[1];
  if (line === undefined) return "none";
  return line.includes("BEGIN SSH SIGNATURE") ? "ssh" : "gpg";
}
