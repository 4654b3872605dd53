/** Finished part of a trace. Times are nanoseconds since 1970. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  /** `client`: a request to another service. */
  readonly kind: "internal" | "client";
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Error message. Undefined on success. */
  readonly failure: string | undefined;
}

const KINDS = { internal: 1, client: 3 } as const;
const FAILED = 2;

/** Returns the body of an export: OTLP 1.x as JSON, in which ids are hexadecimal and 64-bit numbers are text. */
export function otlpBody(spans: readonly Span[], resource: Readonly<Record<string, string>>, version: string): string {
  const scope = { name: "plumbline", version };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ ...resource, "service.version": version }) },
        scopeSpans: [{ scope, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf({ traceId, spanId, parentId, name, kind, start, end, attributes, failure }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: start.toString(),
    endTimeUnixNano: end.toString(),
    attributes: attributesOf(attributes),
    status: failure === undefined ? {} : { code: FAILED, message: failure },
  };
}

function attributesOf(attributes: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }));
}
