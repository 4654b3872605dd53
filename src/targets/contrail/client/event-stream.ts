/** An event of a stream (server-sent events). */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Parses server-sent events. Comments, which the controller sends as heartbeats, are skipped, and an incomplete event at the end is
 * dropped.
 */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let size = 0;
  let event = "";
  let data: string[] = [];
  for await (const chunk of bytes) {
    const [first = "", ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
    pending.push(first);
    size += chunk.length;
    if (size > longest) throw new RangeError("an event is too long");
    for (const next of rest) {
      const line = pending.join("").replace(/\r$/, "");
      pending = [next];
      if (line === "") {
        if (data.length > 0) yield { event: event === "" ? "message" : event, data: data.join("\n") };
        event = "";
        data = [];
        size = next.length;
      } else if (line.startsWith("event:")) event = line.slice("event:".length).trimStart();
      else if (line.startsWith("data:")) data.push(line.slice("data:".length).replace(/^ /, ""));
    }
  }
}
