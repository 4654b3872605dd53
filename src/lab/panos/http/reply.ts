import { escapeText, escapeValue } from "../../../core/tree/xml/escape.js";
import type { DeviceError } from "../device-error.js";
import { SUCCEEDED } from "../device-messages.js";

/** Reply of a device. `body` is a sequence of pieces, so that a large configuration is never one string in memory. */
export interface Reply {
  readonly http: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: "success" | "error";
  readonly code: string | undefined;
  /** The message's text, for the journal. */
  readonly message: string;
  readonly body: Iterable<string>;
  /** `latin1`: the body is a binary file. */
  readonly encoding?: "latin1";
}

const XML = "application/xml; charset=UTF-8";

/** Returns `<response status="success" …>` around `body`. */
export function success(code: string | undefined, body: Iterable<string>, message = ""): Reply {
  return {
    http: 200,
    contentType: XML,
    status: "success",
    code,
    message,
    body: wrap(`<response status="success"${codeAttribute(code)}>`, body),
  };
}

/** Returns `<result>` around `inner`. The code is 19 for config reads and jobs, and absent for operational commands. */
export function result(inner: Iterable<string> | string, code?: string): Reply {
  return success(code, wrap("<result>", typeof inner === "string" ? [inner] : inner, "</result>"));
}

/** Returns the reply to a successful write: code 20. */
export function done(message: string = SUCCEEDED): Reply {
  return success("20", [`<msg>${escapeText(message)}</msg>`], message);
}

/** Returns the reply for an enqueued job: code 19, the message and the job number. */
export function enqueued(sentence: string, job: number): Reply {
  return success("19", [`<result><msg><line>${escapeText(sentence)}</line></msg><job>${job}</job></result>`], sentence);
}

/** Returns the key reply. Only keygen and request errors use single quotes. */
export function keyReply(key: string): Reply {
  return { ...success(undefined, []), body: [`<response status = 'success'><result><key>${escapeText(key)}</key></result></response>`] };
}

/** Returns a file download. */
export function attachment(name: string, contentType: string, body: Iterable<string>): Reply {
  return {
    http: 200,
    contentType,
    headers: { "content-disposition": `attachment; filename=${name}` },
    status: "success",
    code: undefined,
    message: "",
    body,
  };
}

export function refusal(error: DeviceError): Reply {
  const { http, status, code } = error;
  return { http, contentType: XML, status, code, message: error.lines.join("\n"), body: [refusalXml(error)] };
}

/** Returns the error as an XML element. `id` is the id of an operation in a batch. */
export function refusalXml(error: DeviceError, id?: string): string {
  const { form, code, status } = error;
  if (form === "result") {
    return `<response status = '${status}' code = '${code}'><result><msg>${escapeText(error.message).replaceAll('"', "&quot;")}</msg></result></response>`;
  }
  const idAttribute = id === undefined ? "" : ` id="${escapeValue(id)}"`;
  return `<response status="${status}"${codeAttribute(code)}${idAttribute}>${messageXml(error)}</response>`;
}

function messageXml({ form, lines, message }: DeviceError): string {
  switch (form) {
    case "empty-result":
      return "<result/>";
    case "plain":
      return `<msg>${escapeText(message)}</msg>`;
    case "nested-lines":
      return `<msg><line>${lines.map(line).join("")}</line></msg>`;
    default:
      return `<msg>${lines.map(line).join("")}</msg>`;
  }
}

function line(text: string): string {
  return text.startsWith(" ") && !text.includes("]]>") ? `<line><![CDATA[${text}]]></line>` : `<line>${escapeText(text)}</line>`;
}

function codeAttribute(code: string | undefined): string {
  return code === undefined ? "" : ` code="${code}"`;
}

function* wrap(start: string, body: Iterable<string>, end = "</response>"): Generator<string> {
  yield start;
  yield* body;
  yield end;
}
