/** A trace collector for tests: it stores what the exporters of the services send (OTLP over HTTP, as JSON). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const;

export type Span = {
  readonly service: string;
  readonly name: string;
  readonly kind: (typeof kinds)[number];
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the first span of a trace. */
  readonly parentId: string | undefined;
  readonly startMs: number;
  readonly endMs: number;
  /** The store that was called, such as `mongodb`. */
  readonly store: string | undefined;
  /** The whole span as it was sent. */
  readonly sent: string;
};

export type Collector = AsyncDisposable & {
  /** For the environment of the services. */
  readonly settings: Readonly<Record<string, string>>;
  readonly spans: () => readonly Span[];
};

type SentSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
};
type Attributes = readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
type SentResource = {
  readonly resource: { readonly attributes: Attributes };
  readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
};

export async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const { resourceSpans = [] } = JSON.parse(body) as { resourceSpans?: readonly SentResource[] };
      for (const each of resourceSpans) spans.push(...spansOf(each));
      return res.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      // Instead of 5 s.
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
    spans: () => spans,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function spansOf({ resource, scopeSpans }: SentResource): Span[] {
  const text = (attributes: Attributes, ...names: string[]) =>
    attributes.find(({ key }) => names.includes(key))?.value.stringValue;
  const service = text(resource.attributes, 'service.name') ?? '';
  const milliseconds = (nanoseconds: string) => Number(BigInt(nanoseconds) / 1_000n) / 1_000;
  return scopeSpans
    .flatMap((scope) => scope.spans)
    .map((span) => ({
      service,
      name: span.name,
      kind: kinds[span.kind] ?? 'UNSPECIFIED',
      traceId: span.traceId,
      spanId: span.spanId,
      parentId: span.parentSpanId || undefined,
      startMs: milliseconds(span.startTimeUnixNano),
      endMs: milliseconds(span.endTimeUnixNano),
      store: text(span.attributes, 'db.system.name', 'db.system'),
      sent: JSON.stringify({ resource, span }),
    }));
}
