import { parseJson } from "../../../../src/core/json/parse.js";
import { isObject, type Json } from "../../../../src/core/json/value.js";
import { writeJson } from "../../../../src/core/json/write.js";
import { type Identities, plain, uuidsIn } from "./identities.js";

/** Both replies as texts that are equal if the replies are. Learns which uuids belong to the same object. */
export function comparable(recorded: string, lab: string, identities: Identities): { recorded: string; lab: string } {
  const texts = { recorded: canonicalText(recorded), lab: canonicalText(lab) };
  const theirs = uuidsIn(texts.recorded);
  uuidsIn(texts.lab).forEach((uuid, index) => {
    const other = theirs[index];
    if (other !== undefined) identities.learn(other, uuid);
  });
  return { recorded: texts.recorded, lab: identities.inRecording(texts.lab) };
}

/** JSON with sorted keys and links, as the server keeps neither in order; other texts as they are. */
function canonicalText(text: string): string {
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return plain(text.trim());
  }
  return plain(writeJson(sorted(value)));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    return items.every((item) => isObject(item) && "link" in item) ? items.sort((a, b) => (writeJson(a) < writeJson(b) ? -1 : 1)) : items;
  }
  if (!isObject(value)) return value;
  const halves = uuidOfHalves(value);
  if (halves !== undefined) return halves;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}

/** The two 64-bit integers as the uuid that they are, so that every digit of them counts. */
function uuidOfHalves({ uuid_mslong: high, uuid_lslong: low }: { [key: string]: Json }): string | undefined {
  if (typeof high !== "number" && typeof high !== "bigint") return undefined;
  if (typeof low !== "number" && typeof low !== "bigint") return undefined;
  const digits = [high, low].map((half) => BigInt(half).toString(16).padStart(16, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
