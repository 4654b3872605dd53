const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}/g;
const HOST = /http:\/\/127\.0\.0\.1:\d+/g;
const MAC = /02(?::[0-9a-f]{2}){5}/g;

/** Maps uuids of the lab to those of the recording, in both directions, so that the mapping is unique. */
export class Identities {
  readonly #toLab = new Map<string, string>();
  readonly #toRecorded = new Map<string, string>();

  /** Records that two uuids belong to the same object. A known uuid keeps its mapping. */
  learn(recorded: string, lab: string): void {
    const [a, b] = [dashed(recorded), dashed(lab)];
    if (this.#toLab.has(a) || this.#toRecorded.has(b)) return;
    this.#toLab.set(a, b);
    this.#toRecorded.set(b, a);
  }

  /** A recorded request in the uuids of the lab. */
  inLab(text: string): string {
    return text.replace(UUID, (uuid) => {
      const known = this.#toLab.get(dashed(uuid));
      return known === undefined ? uuid : uuid.includes("-") ? known : known.replaceAll("-", "");
    });
  }

  /** A reply of the lab in the uuids of the recording. */
  inRecording(text: string): string {
    return text.replace(UUID, (uuid) => {
      const known = this.#toRecorded.get(dashed(uuid));
      return known === undefined ? uuid : uuid.includes("-") ? known : known.replaceAll("-", "");
    });
  }
}

/** All uuids of a text, in order. */
export function uuidsIn(text: string): string[] {
  return text.match(UUID) ?? [];
}

/** Replaces times and hosts with one name each, and hardware addresses with their components. */
export function plain(text: string): string {
  const bare = text.replace(TIME, "<time>").replace(HOST, "<host>");
  return bare.replace(MAC, (mac) => {
    const start = mac.replaceAll(":", "").slice(2);
    const owner = uuidsIn(bare).find((uuid) => uuid.replaceAll("-", "").startsWith(start));
    return owner === undefined ? mac : `<mac of ${owner}>`;
  });
}

function dashed(uuid: string): string {
  return uuid.replaceAll("-", "").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
