/** Reason why a change cannot be proposed. The description of the pull request shows the message. */
export class NotProposable extends Error {
  override readonly name = "NotProposable";
}

export function refuse(why: string): never {
  throw new NotProposable(why);
}

export const BY_REFERENCE = "its value is a reference, which is defined elsewhere";
export const MADE = "a directive creates it ($forEach or $count)";
export const SECRET = "it is a secret, which is never written";
