import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = string | number | boolean;

/** A span as it came over the wire. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** 2 is a server's, 3 a client's. */
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** 0 is unset, 2 an error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly resource: Readonly<Record<string, Value>>;
}

interface WireAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

const valuesOf = (attributes: readonly WireAttribute[]): Record<string, Value> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [kind, plain] = Object.entries(value)[0] as [string, Value];
      return [key, kind === 'intValue' ? Number(plain) : plain];
    }),
  );

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly WireAttribute[];
}

interface WireMessage {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

const spansOf = ({ resourceSpans }: WireMessage): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        kind: span.kind,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        status: span.status.code,
        attributes: valuesOf(span.attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  );

/** A collector of traces: takes OTLP over HTTP, in its JSON encoding. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  readonly requests: { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** What the next messages are answered; null: nothing at all. */
  status: number | null = 200;
  readonly #server: Server;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    const collector = new TraceCollector(server);
    server.on('request', (request, response) => {
      const { method = '', url = '', headers } = request;
      collector.requests.push({ method, url, headers });
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      request.on('error', () => response.destroy());
      request.on('end', () => {
        if (collector.status === null) return;
        if (collector.status === 200) collector.spans.push(...spansOf(JSON.parse(text) as WireMessage));
        response.writeHead(collector.status, { 'Content-Type': 'application/json' });
        response.end(collector.status === 200 ? '{"partialSuccess":{}}' : '{"message":"no s3cret here"}');
        collector.#tell();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`;
  }

  /** Resolves once so many spans have come in all. */
  received(count: number): Promise<void> {
    if (this.spans.length >= count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
    });
  }

  stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    return closed;
  }

  #tell(): void {
    for (const { count, resolve } of this.#waiting) if (this.spans.length >= count) resolve();
  }
}
