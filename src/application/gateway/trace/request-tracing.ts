import { isRecorded } from '../../../domain/gateway/tracing/sampling.js';
import { readTraceFields, withTraceFields } from '../../../domain/gateway/tracing/trace-fields.js';
import type { ClientAddress } from '../../../domain/http/client-address.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { formatTraceparent, type TraceContext } from '../../../domain/http/trace-context.js';
import type { ClientRequest } from '../../ports/gateway/http-exchange.js';
import type { SpanAttributes, Tracer, TraceSpan } from '../../ports/gateway/tracer.js';
import type { Random } from '../../ports/shared/random.js';

/** A part of a traced request. */
export interface PartTrace {
  /** The headers with the context of this part in them, for whoever is called. */
  propagate(headers: HeaderList): HeaderList;
  /** It is over. `status` is what HTTP gave, `errorType` the code of what failed; each null where there is none. */
  end(status: number | null, errorType: string | null): void;
}

/** The trace of a request; there is none while tracing is off. */
export interface RequestTrace {
  readonly traceId: string;
  /** What agents are told as `traceparent`. */
  readonly traceparent: string;
  /** Null where there is nothing to record: the request is not sampled, or has had very many calls. */
  agentCall(agent: string, event: string): PartTrace | null;
  /** A context has to be propagated also where nothing is recorded. */
  upstreamAttempt(upstream: string, target: string, attempt: number): PartTrace;
  /** The request is over. */
  end(method: string, route: string | null, status: number, errorType: string | null): void;
}

/** A status from here on is a failure of the server. */
const firstServerError = 500;

const statusAttribute = 'http.response.status_code';

const errorAttribute = 'error.type';

/** Methods that have a meaning of their own; any other could be any text. */
const knownMethods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']);

/** The method as an attribute, and as spans are named for it: of few values, whatever clients send. */
const methodWords = (method: string): { readonly attribute: string; readonly name: string } =>
  knownMethods.has(method) ? { attribute: method, name: method } : { attribute: '_OTHER', name: 'HTTP' };

/** The version as OpenTelemetry writes it: one digit from HTTP/2 on. */
const protocolVersion = (httpVersion: string): string => (httpVersion === '2.0' ? '2' : httpVersion);

/** What spans tell of a request. What is learnt of it on its way is read when it ends. */
export interface TracedRequest {
  readonly request: Pick<ClientRequest, 'method' | 'headers' | 'httpVersion' | 'connection'>;
  readonly client: Pick<ClientAddress, 'address' | 'peerTrusted'>;
  readonly target: {
    /** Without port; null where it is not known. */
    readonly host: string | null;
    /** Without the query; empty where it is not known. */
    readonly path: string;
  };
}

/** A call of an agent, or an attempt to have an upstream answer, as a span of its own. */
class RecordedPart implements PartTrace {
  readonly #span: TraceSpan;
  readonly #state: string | null;

  /** `state` is the tracestate that is passed on. */
  constructor(span: TraceSpan, state: string | null) {
    this.#span = span;
    this.#state = state;
  }

  propagate(headers: HeaderList): HeaderList {
    return withTraceFields(headers, formatTraceparent(this.#span.context), this.#state);
  }

  /** A status of 4xx is what the client asked for: no failure of whoever gave it. */
  end(status: number | null, errorType: string | null): void {
    if (status !== null) this.#span.set({ [statusAttribute]: status });
    if (errorType !== null) this.#span.failed(errorType);
    else if (status !== null && status >= firstServerError) this.#span.failed(`${status}`);
    this.#span.end();
  }
}

/** Calls of agents that are recorded of one request. Of a body that comes in small pieces there may be thousands. */
const maxAgentCalls = 100;

/** `host:port`; the host of an IPv6 address is in brackets. */
const targetAttributes = (target: string): SpanAttributes => {
  const colon = target.lastIndexOf(':');
  const host = target.slice(0, colon);
  return {
    'server.address': host.startsWith('[') ? host.slice(1, -1) : host,
    'server.port': Number(target.slice(colon + 1)),
  };
};

/** A request that is sampled: its own span, and one for each of its parts. */
class RecordedRequest implements RequestTrace {
  readonly traceId: string;
  readonly traceparent: string;
  readonly #tracer: Tracer;
  readonly #span: TraceSpan;
  readonly #traced: TracedRequest;
  readonly #state: string | null;
  #agentCalls = 0;

  /** `span` has just begun; `state` is the tracestate that is passed on. */
  constructor(tracer: Tracer, span: TraceSpan, traced: TracedRequest, state: string | null) {
    this.traceId = span.context.traceId;
    this.traceparent = formatTraceparent(span.context);
    this.#tracer = tracer;
    this.#span = span;
    this.#traced = traced;
    this.#state = state;
  }

  /** Null where so many were recorded that no more are. */
  agentCall(agent: string, event: string): PartTrace | null {
    this.#agentCalls += 1;
    if (this.#agentCalls > maxAgentCalls) return null;
    return this.#part(`agent ${agent} ${event}`, { 'portcullis.agent': agent, 'portcullis.event': event });
  }

  upstreamAttempt(upstream: string, target: string, attempt: number): PartTrace {
    return this.#part(`upstream ${upstream}`, {
      'portcullis.upstream': upstream,
      'http.request.method': methodWords(this.#traced.request.method).attribute,
      ...targetAttributes(target),
      ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
    });
  }

  end(method: string, route: string | null, status: number, errorType: string | null): void {
    const { request, client, target } = this.#traced;
    const { host, path } = target;
    const words = methodWords(method);
    if (route !== null) this.#span.rename(`${words.name} ${route}`);
    this.#span.set({
      'http.request.method': words.attribute,
      'url.scheme': request.connection.scheme,
      'client.address': client.address,
      'network.protocol.version': protocolVersion(request.httpVersion),
      [statusAttribute]: status,
      ...(route === null ? {} : { 'http.route': route }),
      ...(path === '' ? {} : { 'url.path': path }),
      ...(host === null ? {} : { 'server.address': host }),
      ...(this.#agentCalls > maxAgentCalls ? { 'portcullis.agent_calls': this.#agentCalls } : {}),
    });
    this.#tellError(status, errorType);
    this.#span.end();
  }

  /** What is refused, and a client that goes away, is no failure of the gateway; a response that broke off is one. */
  #tellError(status: number, errorType: string | null): void {
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

/** A request that is not sampled: whoever comes next learns so, and nothing is kept of it. */
class UnrecordedRequest implements RequestTrace {
  readonly traceId: string;
  readonly traceparent: string;
  readonly #state: string | null;
  #attempt: PartTrace | null = null;

  /** `state` is the tracestate that is passed on. */
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

/** Octets of the ids (W3C Trace Context, section 3.2.2). */
const traceIdOctets = 16;
const spanIdOctets = 8;

/** Begins the traces of requests. A trace that the caller has begun is continued. */
export class RequestTracing {
  readonly #tracer: Tracer;
  readonly #ratio: number;
  readonly #random: Random;

  /** `ratio`: part of the requests that is recorded, 0 to 1. */
  constructor(tracer: Tracer, ratio: number, random: Random) {
    this.#tracer = tracer;
    this.#ratio = ratio;
    this.#random = random;
  }

  /** Called as soon as a request is there: its span begins now. The trace has to be ended once. */
  begin(traced: TracedRequest): RequestTrace {
    const random = this.#random;
    const { headers, method } = traced.request;
    const caller = readTraceFields(headers);
    const parent = caller?.parent ?? null;
    const state = caller?.state ?? null;
    const facts = { parent, isPeerTrusted: traced.client.peerTrusted, ratio: this.#ratio };
    if (isRecorded(facts, random.fraction())) {
      const span = this.#tracer.start(methodWords(method).name, 'server', parent, {});
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
