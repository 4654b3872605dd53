/** The part of a URL after its scheme. A quotation mark ends it, so that JSON stays valid. */
const AFTER_SCHEME = /:\/\/[^\s"<>]+/g;
/** Names of query parameters whose value is a secret. */
const SECRET_NAME = /token|secret|passw|pwd|key|auth(?!or)|sig|credential|session|jwt|bearer|^(?:code|pass|sas|otp|pin)$/i;
/** Anchors of web pages that code hosts link to. */
const ANCHOR = /^(?:issuecomment-|note_|discussion_r|L)\d+(?:-L\d+)?$/;
const HIDDEN = "***";

/**
 * Removes secrets from every URL in a text: the user name and password, values of query parameters such as `private_token`, and
 * the fragment. Every URL that is printed, logged, stored or served goes through it.
 */
export function redactUrls(text: string): string {
  return text.replaceAll(AFTER_SCHEME, (found) => `://${withoutFragment(withoutSecretValues(withoutUser(found.slice(3))))}`);
}

function withoutUser(rest: string): string {
  const end = /[/?#]/.exec(rest)?.index ?? rest.length;
  // A password may contain a slash. The text after the colon is then not a port number.
  const isCutShort = /:(?!\d*$)/.test(
    rest
      .slice(0, end)
      .replace(/^\[[^\]]*\]/, "")
      .replace(/^.*@/, ""),
  );
  const at = isCutShort ? rest.lastIndexOf("@") : rest.slice(0, end).lastIndexOf("@");
  return rest.slice(at + 1);
}

function withoutSecretValues(rest: string): string {
  return rest.replaceAll(/([?&;])([^=&;?#]+)=([^&;#'\\)]*)/g, (all, before: string, name: string) =>
    SECRET_NAME.test(decoded(name)) ? `${before}${name}=${HIDDEN}` : all,
  );
}

function withoutFragment(rest: string): string {
  return rest.replace(/#([^'\\)]+)/, (all, fragment: string) => (ANCHOR.test(fragment) ? all : `#${HIDDEN}`));
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
