import { formatTraceparent } from '../../../domain/http/traceparent.js';
import type { SpanAttributes, Tracer, TraceSpan } from '../../ports/gateway/tracer.js';
import type { PartTrace, RequestTrace } from '../proxy-request/request-trace.js';
import { RecordedPart } from './recorded-part.js';
import { errorAttribute, firstServerError, methodWords, protocolVersion, statusAttribute } from './span-words.js';
import type { TracedRequest } from './traced-request.js';

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
export class RecordedRequest implements RequestTrace {
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
    const { request, client, host, path } = this.#traced;
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
