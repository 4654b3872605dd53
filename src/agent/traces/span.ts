/** A finished part of a trace. Times are nanoseconds since 1970. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  /** `client`: we asked somebody else. */
  readonly kind: "internal" | "client";
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** What went wrong; undefined where nothing did. */
  readonly failure: string | undefined;
}

const KINDS = { internal: 1, client: 3 } as const;
const FAILED = 2;

/** The body of an export: OTLP 1.x in its JSON form, where ids are hexadecimal and 64-bit numbers are text. */
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
