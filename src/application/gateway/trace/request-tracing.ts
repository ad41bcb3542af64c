import { isRecorded } from '../../../domain/gateway/tracing/sampling.js';
import { readTraceFields } from '../../../domain/gateway/tracing/trace-fields.js';
import type { Tracer } from '../../ports/gateway/tracer.js';
import type { Random } from '../../ports/shared/random.js';
import type { RequestTrace } from '../proxy-request/request-trace.js';
import { RecordedRequest } from './recorded-request.js';
import { methodWords } from './span-words.js';
import type { TracedRequest } from './traced-request.js';
import { UnrecordedRequest } from './unrecorded-request.js';

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
