import { readFileSync } from "node:fs";

/** One recorded request and the reply of the real server. */
export interface RecordedExchange {
  readonly file: string;
  /** Line of the request in the file, from 1. */
  readonly line: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly allow: string | undefined;
  readonly reply: string;
  /** Whether the file ends inside the reply. */
  readonly cutOff: boolean;
}

/** Reads a file of `>>>` / `<<<` pairs, or of curl commands with complete replies. */
export function readRecording(folder: string, file: string): RecordedExchange[] {
  const text = readFileSync(`${folder}/${file}`, "utf8").replaceAll("\r\n", "\n");
  return text.startsWith("---") ? readCurl(file, text) : readPairs(file, text);
}

/** How many requests a file holds, counted without reading them. */
export function requestsIn(folder: string, file: string): number {
  return readFileSync(`${folder}/${file}`, "utf8").match(/^(>>>|---) /gm)?.length ?? 0;
}

function readPairs(file: string, text: string): RecordedExchange[] {
  const exchanges: RecordedExchange[] = [];
  let line = 1;
  const parts = text.split(/^(?=>>> )/m);
  parts.forEach((part, index) => {
    const [head = "", rest = ""] = part.split(/^<<< /m);
    const request = /^>>> (\S+) (\S+)(?: {2}(\{.*\}))?\n(?: {4}(.*)\n)?/.exec(head);
    const answer = /^(\d+) (\{.*\})\n([\s\S]*)$/.exec(rest);
    if (request !== null && answer !== null) {
      const headers = JSON.parse(answer[2] ?? "{}") as Record<string, string>;
      exchanges.push({
        file,
        line,
        method: request[1] ?? "",
        path: request[2] ?? "",
        headers: JSON.parse(request[3] ?? "{}") as Record<string, string>,
        body: request[4],
        status: Number(answer[1]),
        contentType: headers["Content-Type"],
        allow: headers.Allow,
        reply: (answer[3] ?? "").trim(),
        cutOff: index === parts.length - 1 && !text.endsWith("\n"),
      });
    }
    line += part.split("\n").length - 1;
  });
  return exchanges;
}

function readCurl(file: string, text: string): RecordedExchange[] {
  let line = 1;
  return text.split(/^(?=--- )/m).map((part) => {
    const [command = "", status = "", ...rest] = part.split("\n");
    const blank = rest.indexOf("");
    const headers = new Map(rest.slice(0, blank).map((each) => each.split(": ", 2) as [string, string]));
    const exchange: RecordedExchange = {
      file,
      line,
      method: / -X (\S+) /.exec(command)?.[1] ?? "GET",
      path: /http:\/\/[^/]+(\/\S*)$/.exec(command)?.[1] ?? "/",
      headers: { "X-Auth-Token": /X-Auth-Token: (\S+)/.exec(command)?.[1] ?? "" },
      body: / -d (\{.*\}) http:/.exec(command)?.[1],
      status: Number(status.split(" ")[1]),
      contentType: headers.get("Content-Type"),
      allow: headers.get("Allow"),
      reply: rest.slice(blank).join("\n").trim(),
      cutOff: false,
    };
    line += part.split("\n").length - 1;
    return exchange;
  });
}
