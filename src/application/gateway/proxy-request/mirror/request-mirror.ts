import { isMirrored, type MirrorResult, type MirrorRules } from '../../../../domain/gateway/route-transforms/mirror.js';
import { mirroredHeaders } from '../../../../domain/gateway/route-transforms/mirror-headers.js';
import { noHeaders } from '../../../../domain/http/header-list.js';
import type { OwnedHeaders } from '../../../../domain/http/owned-headers.js';
import type { MirrorMetrics } from '../../../ports/gateway/gateway-metrics.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { Random } from '../../../ports/shared/random.js';
import { OncePerPeriod } from '../../../shared/once-per-period.js';
import type { MirrorSlots } from '../../admit/mirror-slots.js';
import { BufferedBody, ChunkBuffer } from '../buffered-body.js';
import type { Exchange, RequestCopy } from '../exchange.js';
import type { IdentityHeaderFilter } from '../stages/prepare-headers.js';
import { type BodyCopyListener, CopiedBody } from './copied-body.js';
import { type MirrorEnd, MirroredRequest, type MirrorSending, type RequestToMirror } from './mirrored-request.js';

/** The mirror of a route, made when the configuration loads. */
export interface MirrorOptions extends MirrorSending {
  readonly rules: MirrorRules;
  readonly slots: MirrorSlots;
  readonly random: Pick<Random, 'fraction'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MirrorMetrics;
  /** Octets of a request body that is copied. */
  readonly maxBodyOctets: number;
  /** Headers that carry credentials. */
  readonly credentials: OwnedHeaders;
  readonly identity: Pick<IdentityHeaderFilter, 'current'>;
}

/** Time between two log lines about failed copies; milliseconds. */
const logPeriodMs = 60_000;

/** Copies requests of one route to a second upstream. */
export class RequestMirror {
  readonly #options: MirrorOptions;
  readonly #failures: OncePerPeriod;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#failures = new OncePerPeriod(options.clock, logPeriodMs);
  }

  /**
   * Begins to copy a request that is about to be sent. Null: it is not copied. Call `sent` after it was sent to the
   * upstream, which comes first.
   */
  begin(exchange: Exchange): ExchangeCopy | null {
    const { rules, random, slots, metrics, maxBodyOctets } = this.#options;
    if (exchange.request.wantsWebSocket || !isMirrored(rules, random.fraction())) return null;
    if ((exchange.forwarded.body?.declaredLength ?? 0) > maxBodyOctets) {
      metrics.ended('body_too_large');
      return null;
    }
    const slot = slots.take();
    if (slot === false) {
      metrics.ended('dropped');
      return null;
    }
    return new ExchangeCopy(exchange, slot, this.#options, (end) => this.#ended(end));
  }

  #ended(end: MirrorEnd): void {
    const { logger, metrics, rules } = this.#options;
    metrics.ended(end.result);
    if (end.result === 'answered') return;
    const keptBack = this.#failures.take();
    if (keptBack === null) return;
    const fields = { upstream: rules.upstream, cause: end.detail, more_since_last_line: keptBack };
    logger.warn('A mirrored request got no response', fields);
  }
}

/** The copy of one request. It waits for its slot, for the request to be sent, and for the end of the body. */
export class ExchangeCopy implements RequestCopy, BodyCopyListener {
  readonly #exchange: Exchange;
  readonly #options: MirrorOptions;
  readonly #onSentEnd: (end: MirrorEnd) => void;
  #hasSlot: boolean;
  /** Path and query that the upstream got; null: it has not got the request yet. */
  #target: string | null = null;
  /** Undefined until the body is whole; null: there is none. */
  #body: BufferedBody | null | undefined = null;
  #copied: CopiedBody | null = null;
  #state: 'waiting' | 'sent' | 'over' = 'waiting';

  constructor(
    exchange: Exchange,
    slot: true | Promise<boolean>,
    options: MirrorOptions,
    onSentEnd: (end: MirrorEnd) => void,
  ) {
    this.#exchange = exchange;
    this.#options = options;
    this.#onSentEnd = onSentEnd;
    this.#hasSlot = slot === true;
    this.#copyBody();
    if (slot !== true) void this.#awaitSlot(slot);
  }

  /** @param target path and query that the upstream gets; null: it does not get the request, so there is no copy */
  sent(target: string | null): void {
    this.#target = target;
    if (target === null) this.#end(null);
    else this.#proceed();
  }

  copied(body: BufferedBody): void {
    this.#body = body;
    this.#proceed();
  }

  notCopied(reason: 'body_too_large' | 'body_incomplete'): void {
    this.#end(reason);
  }

  requestEnded(): void {
    // An exchange that was never sent ends before `sent` is called.
    if (this.#body === undefined) this.#end(this.#target === null ? null : 'body_incomplete');
  }

  #copyBody(): void {
    const { forwarded } = this.#exchange;
    const { body } = forwarded;
    if (body instanceof BufferedBody) this.#body = body.copy();
    else if (body?.declaredLength === 0) this.#body = new BufferedBody(new ChunkBuffer(), noHeaders, 0);
    else if (body !== null) {
      this.#body = undefined;
      this.#copied = new CopiedBody(body, this.#options.maxBodyOctets, this);
      forwarded.body = this.#copied;
    }
  }

  async #awaitSlot(slot: Promise<boolean>): Promise<void> {
    const isTaken = await slot;
    if (this.#state === 'over') {
      if (isTaken) this.#options.slots.release();
      return;
    }
    this.#hasSlot = isTaken;
    if (isTaken) this.#proceed();
    else this.#end('dropped');
  }

  #proceed(): void {
    const [target, body] = [this.#target, this.#body];
    if (this.#state !== 'waiting' || !this.#hasSlot || target === null || body === undefined) return;
    this.#state = 'sent';
    // The request itself goes on first.
    queueMicrotask(() => this.#send(target, body));
  }

  #send(target: string, body: BufferedBody | null): void {
    MirroredRequest.send(this.#copy(target, body), this.#options, (end) => {
      this.#state = 'over';
      this.#options.slots.release();
      this.#onSentEnd(end);
    });
  }

  #copy(target: string, body: BufferedBody | null): RequestToMirror {
    const { client, forwarded, request } = this.#exchange;
    const { rules, credentials, identity } = this.#options;
    const removed = rules.keepsCredentials ? [] : [credentials, identity.current()];
    return {
      clientIp: client.address,
      isSecure: (client.scheme ?? request.connection.scheme) === 'https',
      method: request.method,
      target,
      headers: mirroredHeaders(forwarded.headers, removed),
      body,
    };
  }

  /** Ends a copy that was not sent. `result`: how it counts; null: it does not. */
  #end(result: MirrorResult | null): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'over';
    this.#copied?.giveUp();
    this.#body = null;
    if (this.#hasSlot) this.#options.slots.release();
    if (result !== null) this.#options.metrics.ended(result);
  }
}
