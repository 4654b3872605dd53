/** What a check of a signature came to. */
export interface SignatureVerdict {
  /** `expired`: it was right when it was made, or may have been; the key or the signature has run out since. */
  readonly is: "good" | "expired" | "bad";
  /** Why it is not good, as words that follow "is not accepted:". */
  readonly why: string;
  /** Whose it is, or which key made it, as far as is known. */
  readonly signer: string;
}

const WORDS: Readonly<Record<string, string>> = {
  BADSIG: "the signature is bad",
  EXPSIG: "the signature has expired",
  EXPKEYSIG: "the key that signed it has expired",
  REVKEYSIG: "the key that signed it was revoked",
  ERRSIG: "the signature cannot be checked",
};

/**
 * Reads the status lines of gpg, as `git verify-commit --raw` and `git verify-tag --raw` repeat them.
 * @param everyKeyCounts Each key of the keyring is trusted, unless it is marked as one that never is.
 */
export function gpgVerdict(said: string, isVerified: boolean, everyKeyCounts: boolean): SignatureVerdict {
  const rows = [...said.matchAll(/^\[GNUPG:\] ([A-Z_]+)(?: (.*))?$/gm)].map(([, word = "", rest = ""]) => ({ word, rest }));
  const results = rows.filter(({ word }) => word === "GOODSIG" || word in WORDS);
  const [first] = results;
  if (first === undefined || results.length > 1) return { is: "bad", why: `it cannot be checked${because(said)}`, signer: "" };
  const [key = "", ...name] = first.rest.split(" ");
  if (rows.some(({ word }) => word === "NO_PUBKEY")) return { is: "bad", why: "the key that signed it is not known here", signer: key };
  const signer = name.length === 0 || first.word === "ERRSIG" ? key : `${name.join(" ")}, key ${key}`;
  if (first.word !== "GOODSIG") {
    const isExpired = first.word === "EXPSIG" || first.word === "EXPKEYSIG";
    return { is: isExpired ? "expired" : "bad", why: WORDS[first.word] ?? "", signer };
  }
  const trust = rows.find(({ word }) => word.startsWith("TRUST_"))?.word ?? "TRUST_UNDEFINED";
  const isTrusted = /^TRUST_(MARGINAL|FULLY|ULTIMATE)$/.test(trust) || (everyKeyCounts && trust === "TRUST_UNDEFINED");
  if (isVerified && isTrusted) return { is: "good", why: "", signer };
  return { is: "bad", why: "whoever signed it is not among those that are trusted", signer };
}

/** Reads what ssh-keygen says, as git repeats it. */
export function sshVerdict(said: string, isVerified: boolean): SignatureVerdict {
  const [, principal, key = ""] = /^Good "git" signature(?: for (.+))? with (.*)$/m.exec(said) ?? [];
  if (isVerified && principal !== undefined) return { is: "good", why: "", signer: principal };
  if (/key has expired: verify time/.test(said)) return { is: "expired", why: "the key that signed it has expired", signer: key };
  if (/revoked/i.test(said)) return { is: "bad", why: "the key that signed it was revoked", signer: key };
  if (key !== "" || /No principal matched/.test(said)) {
    return { is: "bad", why: "whoever signed it is not among those that are trusted", signer: key };
  }
  const isWrong = /Signature verification failed|Could not verify signature|incorrect signature/.test(said);
  return { is: "bad", why: isWrong ? "the signature is bad" : `it cannot be checked${because(said)}`, signer: "" };
}

function because(said: string): string {
  const row = said.split("\n").find((each) => /^(error|fatal):/.test(each));
  return row === undefined ? "" : `: ${row.replace(/^(error|fatal): /, "")}`;
}
