import { escapeText } from "../../core/tree/xml/escape.js";
import type { KnownFile } from "./known-files.js";

/** Result of the service for one hash or file. */
export type Info = Pick<KnownFile, "sha256" | "md5" | "verdict">;

export function verdictsXml(root: string, infos: readonly Info[]): string {
  const entries = infos.map(
    ({ sha256, md5, verdict }) =>
      `  <get-verdict-info>\n    <sha256>${escapeText(sha256)}</sha256>\n    <verdict>${verdict}</verdict>\n    <md5>${escapeText(md5)}</md5>\n  </get-verdict-info>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>\n${entries.join("")}</${root}>\n`;
}

/** The message is in single quotes (docs/contributing/devices/verdict-service.md). The name of the root element is unknown. */
export function errorXml(message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<error>\n  <error-message>'${escapeText(message)}'</error-message>\n</error>\n`;
}
