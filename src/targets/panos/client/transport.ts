import pLimit from "p-limit";
import { PlumblineError } from "../../../core/errors.js";
import type { SecretValue } from "../../../core/secret.js";
import { Connection } from "../../../http/connection.js";
import type { HttpReply } from "../../../http/message.js";
import { callWithRetries } from "../../../http/retry.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import type { PanosDependencies, PanosOptions } from "../dependencies.js";
import type { PanosTargetConfiguration } from "../settings.js";
import { isInvalidCredential, KeyRing } from "./credentials.js";
import { understandDeviceReply } from "./document.js";
import { type DeviceReply, deviceMessage } from "./reply.js";
import { type PanosRequest, requestWords, through } from "./request.js";
import { PANOS_RETRY } from "./retry.js";

/** Longest query string that devices accept by GET, in bytes (docs/contributing/devices/panos.md#transport). */
const MAX_QUERY_BYTES = 2048;

interface EncodedRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Transport = Pick<PanosTargetConfiguration, "http" | "keyIn">;

/** Number of concurrent requests that a management plane accepts (docs/contributing/devices/panos.md#transport). */
const MAX_CONCURRENT = 5;

/** Exceeds the largest configuration of a manager. A larger reply is an error. */
const MAX_REPLY_BYTES = 100_000_000;

const SESSION_TIMED_OUT = 22;

/**
 * Sends requests to one device, directly or through its manager: a keep-alive pool, at most five concurrent requests, one write at a time, and an API key. Replies with any
 * code are returned typed; anything else throws a PlumblineError. Only repeatable requests are retried. A lost reply to a write throws
 * `reply-lost`, so that the caller can check the state first.
 */
export class PanosTransport {
  readonly place: ServerOrigin;
  /** Identifies the device: its address, or the address of its manager and its serial number. */
  readonly box: string;
  readonly #configuration: PanosTargetConfiguration;
  readonly #dependencies: PanosDependencies;
  /** Number of replies that reported an unknown command. */
  unknownCommands = 0;
  readonly #maxReplyBytes: number;
  readonly #keys: KeyRing;
  readonly #slots = pLimit(MAX_CONCURRENT);
  readonly #writers = pLimit(1);
  readonly #path: string;
  readonly #connection: Connection;

  constructor(address: string, configuration: PanosTargetConfiguration, dependencies: PanosDependencies, options: PanosOptions) {
    const url = new URL(address);
    this.place = { target: configuration.name, origin: url.origin };
    this.box = configuration.through === undefined ? url.origin : `${url.origin} ${configuration.through}`;
    this.#path = `${url.pathname.replace(/\/+(api\/*)?$/, "")}/api/`;
    this.#configuration = configuration;
    this.#dependencies = dependencies;
    this.#maxReplyBytes = options.maxReplyBytes ?? MAX_REPLY_BYTES;
    this.#keys = new KeyRing(configuration.credentials, this.place, dependencies.keys, (request) => this.#call(request, undefined));
    this.#connection = new Connection(
      {
        place: this.place,
        kind: "panos",
        peer: "the device",
        tls: configuration.tls,
        timeout: configuration.timeout,
        connections: MAX_CONCURRENT,
        isKept: options.isKept === true,
        maxReplyBytes: this.#maxReplyBytes,
      },
      dependencies,
    );
  }

  /** Sends a request with the API key, and renews the key if it is refused. `onBody` receives the raw bytes of the reply. */
  async send(request: PanosRequest, onBody?: (body: Buffer) => void): Promise<DeviceReply> {
    return request.repeatable ? this.#sendKeyed(request, onBody) : this.#writers(() => this.#sendKeyed(request, onBody));
  }

  /** Sends a read once and returns the unparsed bytes of the reply. Undefined if it is not a complete, successful reply. */
  async sendForBytes(request: PanosRequest): Promise<Buffer | undefined> {
    const key = await this.#keys.current();
    const { status, body } = await this.#exchange(request, key);
    const isSuccess = status === 200 && /^\s*(<\?xml[^>]*>\s*)?<response\b[^>]*status\s*=\s*["']success/.test(head(body));
    return isSuccess && body.subarray(-64).toString("latin1").trimEnd().endsWith("</response>") ? body : undefined;
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #sendKeyed(request: PanosRequest, onBody?: (body: Buffer) => void): Promise<DeviceReply> {
    const key = await this.#keys.current();
    const reply = await this.#call(request, key, onBody);
    if (reply.outcome === "unsupported") this.unknownCommands += 1;
    if (!isInvalidCredential(reply)) return reply;
    const renewed = await this.#keys.renew(key);
    const second = renewed === undefined ? reply : await this.#call(request, renewed, onBody);
    if (!isInvalidCredential(second)) return second;
    throw new PlumblineError("credential-refused", `${this.place.origin} refuses our API key: ${deviceMessage(second)}`, {
      where: { target: this.place.target },
      next: "Create a new key, or give the target a user name and password. A key expires with a new password, a new master key or its lifetime.",
    });
  }

  #call(request: PanosRequest, key: SecretValue | undefined, onBody?: (body: Buffer) => void): Promise<DeviceReply> {
    const call = {
      target: this.place.target,
      kind: "panos",
      words: requestWords(request),
      peer: "the device",
      repeatable: request.repeatable,
      send: () => this.#exchange(request, key),
      understand: (raw: HttpReply): DeviceReply => {
        const reply = understandDeviceReply(raw, this.place, this.#maxReplyBytes);
        onBody?.(raw.body);
        if (reply.code === SESSION_TIMED_OUT) throw sessionTimedOut(reply, this.place);
        if (isNotConnected(reply, this.#configuration.through)) throw notConnected(reply, this.place);
        return reply;
      },
    };
    return callWithRetries(call, PANOS_RETRY, this.#dependencies);
  }

  #exchange(request: PanosRequest, key: SecretValue | undefined): Promise<HttpReply> {
    return this.#slots(() => {
      const { through: serial } = this.#configuration;
      const sent = serial === undefined ? request : through(serial, request);
      const encoded = encodeRequest(sent, key?.reveal(), this.#path, this.#configuration);
      const words = requestWords(request);
      return this.#connection.exchange({ ...encoded, isRead: request.repeatable, call: words, logged: { call: words } });
    });
  }
}

function sessionTimedOut(reply: DeviceReply, place: ServerOrigin): PlumblineError {
  return new PlumblineError("session-timed-out", `${place.origin} gave up on the request: ${deviceMessage(reply)}`, {
    where: { target: place.target },
    next: "Wait until the management plane is less busy, then run again.",
  });
}

/** A manager gives the same reply for a disconnected firewall and for an unknown one. */
function isNotConnected({ code, lines }: DeviceReply, serial: string | undefined): boolean {
  return serial !== undefined && code === 13 && lines.includes(`${serial} not connected`);
}

function notConnected(reply: DeviceReply, place: ServerOrigin): PlumblineError {
  return new PlumblineError("device-unreachable", `${place.origin} has no way to the firewall: ${deviceMessage(reply)}`, {
    where: { target: place.target },
    next: "Check that the firewall is connected to its manager, and identity.serial of the target.",
  });
}

function head(body: Buffer): string {
  return body.subarray(0, 300).toString("latin1");
}

/**
 * Encodes a request. By default, short plain requests use GET with query parameters, as in the specification. A POST form is used if the
 * request is longer than 2 KB, not ASCII, or sensitive. The `http` setting overrides this.
 */
function encodeRequest(request: PanosRequest, key: string | undefined, path: string, transport: Transport): EncodedRequest {
  const inHeader = key !== undefined && transport.keyIn === "header";
  const keyParameter = key === undefined || inHeader ? [] : [["key", key] as const];
  const form = new URLSearchParams([...request.parameters, ...keyParameter] as [string, string][]).toString();
  const headers: Record<string, string> = { accept: "application/xml", ...(inHeader ? { "x-pan-key": key } : {}) };
  if (isSentByGet(request, form, transport.http)) {
    return { method: "GET", path: `${path}?${form.replaceAll("+", "%20")}`, headers, body: undefined };
  }
  headers["content-type"] = "application/x-www-form-urlencoded";
  return { method: "POST", path, headers, body: form };
}

function isSentByGet(request: PanosRequest, form: string, http: Transport["http"]): boolean {
  if (http !== "auto") return http === "get";
  return request.sensitive !== true && form.length < MAX_QUERY_BYTES && request.parameters.every(([, value]) => isAscii(value));
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}
