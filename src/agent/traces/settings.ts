import { PlumblineError } from "../../core/errors.js";
import { expectEncrypted } from "../../core/plaintext-http.js";
import { SecretValue } from "../../core/secret.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Destination of traces, from the OpenTelemetry variables. */
export interface TraceSettings {
  /** Complete address to which spans are posted. */
  readonly url: string;
  /** Values are secret, because many services expect a key in a header. */
  readonly headers: readonly (readonly [name: string, value: SecretValue])[];
  /** Maximum milliseconds per export. */
  readonly timeout: number;
  readonly resource: Readonly<Record<string, string>>;
  /** Fraction of visits that are traced, 0 to 1. */
  readonly ratio: number;
}

const WORD = "OTEL_EXPORTER_OTLP_INSECURE=true";

/** Returns undefined without an endpoint or if tracing is off. @throws PlumblineError `trace-settings-invalid`, `address-in-the-clear` */
export function traceSettings(environment: Environment): TraceSettings | undefined {
  const url = endpointOf(environment);
  if (url === undefined || environment.OTEL_SDK_DISABLED === "true" || trimmed(environment.OTEL_TRACES_EXPORTER) === "none")
    return undefined;
  const protocol = trimmed(environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL) ?? trimmed(environment.OTEL_EXPORTER_OTLP_PROTOCOL);
  if (protocol === "grpc") {
    throw invalid("OTEL_EXPORTER_OTLP_PROTOCOL is grpc.", "Name the OTLP/HTTP port of the collector (4318) and leave the protocol out.");
  }
  const headers = headersOf(environment);
  if (headers.length > 0) expectEncrypted(url, { isAllowed: trimmed(environment.OTEL_EXPORTER_OTLP_INSECURE) === "true", word: WORD });
  return {
    url,
    headers,
    timeout: numberOf(environment, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT") ?? numberOf(environment, "OTEL_EXPORTER_OTLP_TIMEOUT") ?? 10_000,
    resource: { ...pairsOf(environment, "OTEL_RESOURCE_ATTRIBUTES"), ...serviceOf(environment) },
    ratio: ratioOf(environment),
  };
}

function endpointOf(environment: Environment): string | undefined {
  const own = trimmed(environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  const base = trimmed(environment.OTEL_EXPORTER_OTLP_ENDPOINT);
  const url = own ?? (base === undefined ? undefined : `${base.replace(/\/+$/, "")}/v1/traces`);
  if (url === undefined) return undefined;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.username === "" && parsed.password === "") return url;
  throw invalid(
    "OTEL_EXPORTER_OTLP_ENDPOINT is not an address of the form http://host:port.",
    "Correct it; keys go into OTEL_EXPORTER_OTLP_HEADERS.",
  );
}

function headersOf(environment: Environment): TraceSettings["headers"] {
  const [own, all] = ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"] as const;
  const name = trimmed(environment[own]) === undefined ? all : own;
  return Object.entries(pairsOf(environment, name)).map(([header, value]) => [header, new SecretValue(value, `\${env:${name}}`)]);
}

function serviceOf(environment: Environment): Readonly<Record<string, string>> {
  const named = trimmed(environment.OTEL_SERVICE_NAME);
  if (named !== undefined) return { "service.name": named };
  return pairsOf(environment, "OTEL_RESOURCE_ATTRIBUTES")["service.name"] === undefined ? { "service.name": "plumbline" } : {};
}

/** Parses `key=value,key=value` with percent-encoded values. */
function pairsOf(environment: Environment, name: string): Record<string, string> {
  const pairs = (trimmed(environment[name]) ?? "").split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw invalid(`${name} is not a list of key=value pairs.`, "Write key=value,key=value.");
      try {
        return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
      } catch {
        throw invalid(`${name} holds a value that is not percent-encoded.`, "Write %25 for a percent sign.");
      }
    }),
  );
}

function ratioOf(environment: Environment): number {
  const sampler = trimmed(environment.OTEL_TRACES_SAMPLER)?.replace(/^parentbased_/, "");
  if (sampler === "always_off") return 0;
  if (sampler !== "traceidratio") return 1;
  const ratio = numberOf(environment, "OTEL_TRACES_SAMPLER_ARG") ?? 1;
  if (ratio <= 1) return ratio;
  throw invalid("OTEL_TRACES_SAMPLER_ARG is above 1.", "Write a share from 0 to 1.");
}

function numberOf(environment: Environment, name: string): number | undefined {
  const text = trimmed(environment[name]);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  throw invalid(`${name} is not a number.`, "Write a number, or remove the variable.");
}

function trimmed(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}

function invalid(message: string, next: string): PlumblineError {
  return new PlumblineError("trace-settings-invalid", message, { next });
}
