import { isRecorded } from '../../../domain/gateway/tracing/sampling.js';
import { readTraceFields, withTraceFields } from '../../../domain/gateway/tracing/trace-fields.js';
import type { ClientAddress } from '../../../domain/http/client-address.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { formatTraceparent, type TraceContext } from '../../../domain/http/trace-context.js';
import type { ClientRequest } from '../../ports/gateway/http-exchange.js';
import type { SpanAttributes, Tracer, TraceSpan } from '../../ports/gateway/tracer.js';
import type { Random } from '../../ports/shared/random.js';

/** A span of a traced request: a call to an agent, or an attempt at an upstream. */
export interface PartTrace {
  /** Adds the trace context of this span to the headers of the call. */
  propagate(headers: HeaderList): HeaderList;
  /** Ends the span. `status`: the HTTP status; `errorType`: the code of the failure; null: none. */
  end(status: number | null, errorType: string | null): void;
}

/** The trace of a request. */
export interface RequestTrace {
  readonly traceId: string;
  /** The `traceparent` for agents. */
  readonly traceparent: string;
  /** Begins a span; null: the request is not sampled, or has too many calls. */
  agentCall(agent: string, event: string): PartTrace | null;
  /** Begins a span. It also propagates the context of a request that is not sampled. */
  upstreamAttempt(upstream: string, target: string, attempt: number): PartTrace;
  /** Ends the trace. */
  end(method: string, route: string | null, status: number, errorType: string | null): void;
}

/** The lowest status that counts as a failure of the server. */
const firstServerError = 500;

const statusAttribute = 'http.response.status_code';

const errorAttribute = 'error.type';

/** The methods that appear in spans. Others could be any text. */
const knownMethods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']);

/** The method as an attribute and as a span name, with a bounded number of values. */
const spanMethod = (method: string): { readonly attribute: string; readonly name: string } =>
  knownMethods.has(method) ? { attribute: method, name: method } : { attribute: '_OTHER', name: 'HTTP' };

/** The version in OpenTelemetry's form: one digit for HTTP/2. */
const protocolVersion = (httpVersion: string): string => (httpVersion === '2.0' ? '2' : httpVersion);

/** The parts of an exchange that its span records when it ends. */
export interface TracedRequest {
  readonly request: Pick<ClientRequest, 'method' | 'headers' | 'httpVersion' | 'connection'>;
  readonly client: Pick<ClientAddress, 'address' | 'peerTrusted'>;
  readonly target: {
    /** Without port; null: unknown. */
    readonly host: string | null;
    /** Without the query; empty: unknown. */
    readonly path: string;
  };
}

/** A recorded span for a call or an attempt. */
class RecordedPart implements PartTrace {
  readonly #span: TraceSpan;
  readonly #state: string | null;

  /** `state`: the tracestate to propagate. */
  constructor(span: TraceSpan, state: string | null) {
    this.#span = span;
    this.#state = state;
  }

  propagate(headers: HeaderList): HeaderList {
    return withTraceFields(headers, formatTraceparent(this.#span.context), this.#state);
  }

  /** A 4xx status does not count as a failure, because the client caused it. */
  end(status: number | null, errorType: string | null): void {
    if (status !== null) this.#span.set({ [statusAttribute]: status });
    if (errorType !== null) this.#span.failed(errorType);
    else if (status !== null && status >= firstServerError) this.#span.failed(`${status}`);
    this.#span.end();
  }
}

/** The most agent calls of one request that are recorded. A body in small pieces may cause thousands. */
const maxAgentCalls = 100;

/** Splits `host:port`; an IPv6 host is in brackets. */
const targetAttributes = (target: string): SpanAttributes => {
  const colon = target.lastIndexOf(':');
  const host = target.slice(0, colon);
  return {
    'server.address': host.startsWith('[') ? host.slice(1, -1) : host,
    'server.port': Number(target.slice(colon + 1)),
  };
};

/** A sampled request: its own span, and one for each call and attempt. */
class RecordedRequest implements RequestTrace {
  readonly traceId: string;
  readonly traceparent: string;
  readonly #tracer: Tracer;
  readonly #span: TraceSpan;
  readonly #traced: TracedRequest;
  readonly #state: string | null;
  #agentCalls = 0;

  /** `span`: just begun; `state`: the tracestate to propagate. */
  constructor(tracer: Tracer, span: TraceSpan, traced: TracedRequest, state: string | null) {
    this.traceId = span.context.traceId;
    this.traceparent = formatTraceparent(span.context);
    this.#tracer = tracer;
    this.#span = span;
    this.#traced = traced;
    this.#state = state;
  }

  agentCall(agent: string, event: string): PartTrace | null {
    this.#agentCalls += 1;
    if (this.#agentCalls > maxAgentCalls) return null;
    return this.#part(`agent ${agent} ${event}`, { 'portcullis.agent': agent, 'portcullis.event': event });
  }

  upstreamAttempt(upstream: string, target: string, attempt: number): PartTrace {
    return this.#part(`upstream ${upstream}`, {
      'portcullis.upstream': upstream,
      'http.request.method': spanMethod(this.#traced.request.method).attribute,
      ...targetAttributes(target),
      ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
    });
  }

  end(method: string, route: string | null, status: number, errorType: string | null): void {
    const { request, client, target } = this.#traced;
    const { host, path } = target;
    const spanned = spanMethod(method);
    if (route !== null) this.#span.rename(`${spanned.name} ${route}`);
    this.#span.set({
      'http.request.method': spanned.attribute,
      'url.scheme': request.connection.scheme,
      'client.address': client.address,
      'network.protocol.version': protocolVersion(request.httpVersion),
      [statusAttribute]: status,
      ...(route === null ? {} : { 'http.route': route }),
      ...(path === '' ? {} : { 'url.path': path }),
      ...(host === null ? {} : { 'server.address': host }),
      ...(this.#agentCalls > maxAgentCalls ? { 'portcullis.agent_calls': this.#agentCalls } : {}),
    });
    this.#recordError(status, errorType);
    this.#span.end();
  }

  /** Refusals and disconnected clients are not failures of the gateway; an incomplete response is. */
  #recordError(status: number, errorType: string | null): void {
    const isRefused = status >= 400 && status < firstServerError;
    if (errorType === null) {
      if (status >= firstServerError) this.#span.failed(`${status}`);
    } else if (isRefused || errorType === 'client_gone') this.#span.set({ [errorAttribute]: errorType });
    else this.#span.failed(errorType);
  }

  #part(name: string, attributes: SpanAttributes): PartTrace {
    return new RecordedPart(this.#tracer.start(name, 'client', this.#span.context, attributes), this.#state);
  }
}

/** A request that is not sampled. It propagates that decision and records nothing. */
class UnrecordedRequest implements RequestTrace {
  readonly traceId: string;
  readonly traceparent: string;
  readonly #state: string | null;
  #attempt: PartTrace | null = null;

  /** `state`: the tracestate to propagate. */
  constructor(context: TraceContext, state: string | null) {
    this.traceId = context.traceId;
    this.traceparent = formatTraceparent(context);
    this.#state = state;
  }

  agentCall(): null {
    return null;
  }

  upstreamAttempt(): PartTrace {
    this.#attempt ??= new UnrecordedAttempt(this.traceparent, this.#state);
    return this.#attempt;
  }

  end(): void {}
}

class UnrecordedAttempt implements PartTrace {
  readonly #traceparent: string;
  readonly #state: string | null;

  constructor(traceparent: string, state: string | null) {
    this.#traceparent = traceparent;
    this.#state = state;
  }

  propagate(headers: HeaderList): HeaderList {
    return withTraceFields(headers, this.#traceparent, this.#state);
  }

  end(): void {}
}

/** Lengths of the ids in octets (W3C Trace Context, section 3.2.2). */
const traceIdOctets = 16;
const spanIdOctets = 8;

/** Begins the traces of requests, or continues the trace of the caller. */
export class RequestTracing {
  readonly #tracer: Tracer;
  readonly #ratio: number;
  readonly #random: Random;

  /** `ratio`: share of the requests that is sampled, 0 to 1. */
  constructor(tracer: Tracer, ratio: number, random: Random) {
    this.#tracer = tracer;
    this.#ratio = ratio;
    this.#random = random;
  }

  /** Begins the span of a request now. End the trace once. */
  begin(traced: TracedRequest): RequestTrace {
    const random = this.#random;
    const { headers, method } = traced.request;
    const caller = readTraceFields(headers);
    const parent = caller?.parent ?? null;
    const state = caller?.state ?? null;
    const sampling = { parent, isPeerTrusted: traced.client.peerTrusted, ratio: this.#ratio };
    if (isRecorded(sampling, random.fraction())) {
      const span = this.#tracer.start(spanMethod(method).name, 'server', parent, {});
      return new RecordedRequest(this.#tracer, span, traced, state);
    }
    const context = {
      traceId: parent?.traceId ?? random.hex(traceIdOctets),
      spanId: random.hex(spanIdOctets),
      isSampled: false,
      hasRandomId: parent?.hasRandomId ?? true,
    };
    return new UnrecordedRequest(context, state);
  }
}
