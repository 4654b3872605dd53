/** Result of a signature check. */
export interface SignatureVerdict {
  /** `expired`: the key or the signature has expired. It may have been valid when it was made. */
  readonly is: "good" | "expired" | "bad";
  /** Reason for a rejection. It follows the words "is not accepted:". */
  readonly why: string;
  /** Owner or key of the signature, if known. */
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
 * Reads the status lines of gpg from the output of `git verify-commit --raw` or `git verify-tag --raw`.
 * @param everyKeyCounts Trust each key of the keyring, except keys that are marked as never trusted.
 */
export function gpgVerdict(text: string, isVerified: boolean, everyKeyCounts: boolean): SignatureVerdict {
  const rows = [...text.matchAll(/^\[GNUPG:\] ([A-Z_]+)(?: (.*))?$/gm)].map(([, word = "", rest = ""]) => ({ word, rest }));
  const results = rows.filter(({ word }) => word === "GOODSIG" || word in WORDS);
  const [first] = results;
  if (first === undefined || results.length > 1) return { is: "bad", why: `it cannot be checked${because(text)}`, signer: "" };
  const [key = "", ...name] = first.rest.split(" ");
  if (rows.some(({ word }) => word === "NO_PUBKEY")) return { is: "bad", why: "the signing key is unknown", signer: key };
  const signer = name.length === 0 || first.word === "ERRSIG" ? key : `${name.join(" ")}, key ${key}`;
  if (first.word !== "GOODSIG") {
    const isExpired = first.word === "EXPSIG" || first.word === "EXPKEYSIG";
    return { is: isExpired ? "expired" : "bad", why: WORDS[first.word] ?? "", signer };
  }
  const trust = rows.find(({ word }) => word.startsWith("TRUST_"))?.word ?? "TRUST_UNDEFINED";
  const isTrusted = /^TRUST_(MARGINAL|FULLY|ULTIMATE)$/.test(trust) || (everyKeyCounts && trust === "TRUST_UNDEFINED");
  if (isVerified && isTrusted) return { is: "good", why: "", signer };
  return { is: "bad", why: "the signer is not trusted", signer };
}

/** Reads the messages of ssh-keygen from the output of git. */
export function sshVerdict(text: string, isVerified: boolean): SignatureVerdict {
  const [, principal, key = ""] = /^Good "git" signature(?: for (.+))? with (.*)$/m.exec(text) ?? [];
  if (isVerified && principal !== undefined) return { is: "good", why: "", signer: principal };
  if (/key has expired: verify time/.test(text)) return { is: "expired", why: "the key that signed it has expired", signer: key };
  if (/revoked/i.test(text)) return { is: "bad", why: "the key that signed it was revoked", signer: key };
  if (key !== "" || /No principal matched/.test(text)) {
    return { is: "bad", why: "the signer is not trusted", signer: key };
  }
  const isWrong = /Signature verification failed|Could not verify signature|incorrect signature/.test(text);
  return { is: "bad", why: isWrong ? "the signature is bad" : `it cannot be checked${because(text)}`, signer: "" };
}

function because(text: string): string {
  const row = text.split("\n").find((each) => /^(error|fatal):/.test(each));
  return row === undefined ? "" : `: ${row.replace(/^(error|fatal): /, "")}`;
}
