import { formText, keptFormMs, keptFormOctets, writeKeptForm } from '../../../../domain/agent/sign-on/kept-form.js';
import { returnTarget } from '../../../../domain/agent/sign-on/return-target.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { firstHeader } from '../../../../domain/http/header-list.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import { isCancelled } from '../../../shared/cancellation/cancellation-source.js';
import type { RequestedForm } from '../../agent-service/posted-forms.js';
import { SignOnAllowance } from '../shared/sign-on-allowance.js';
import { type KeptFormServices, keptFormUse, ownerMarkOf, ownerSalt } from './kept-form-services.js';

/** Limit of an address group: no group can fill the store of 1 000 forms. */
const formAllowance = { signOns: 100, periodMs: keptFormMs, addresses: 10_000 };

/** Who posts a form, and where. */
interface Sender {
  /** That of the request. */
  readonly origin: string;
  /** The ended session. */
  readonly sessionId: string;
}

/** The page with the form; `/` if it is of another origin, or the browser does not name it. */
const pageOf = ({ headers }: RequestHeadersEvent, origin: string): string => {
  const referer = firstHeader(headers, 'referer') ?? '';
  return referer.startsWith(`${origin}/`) ? returnTarget(referer.slice(origin.length)) : '/';
};

/** Keeps a form, and begins the sign-on of its sender. */
export class KeepForm {
  readonly #parts: KeptFormServices;
  readonly #allowance: SignOnAllowance;

  constructor(parts: KeptFormServices) {
    this.#parts = parts;
    this.#allowance = new SignOnAllowance(parts.clock, formAllowance);
  }

  /** INVARIANT: every answer is the refusal, or begins a sign-on. */
  requestedForm(event: RequestHeadersEvent, sender: Sender, refusal: AgentAnswer): RequestedForm {
    return {
      headAnswer: { ...allowAnswer, needsMore: true },
      formOctets: keptFormOctets,
      replacesBody: false,
      answerForm: ({ octets }, cancellation) => this.#answer(event, sender, octets, refusal, cancellation),
      refuseForm: () => refusal,
    };
  }

  async #answer(
    event: RequestHeadersEvent,
    sender: Sender,
    octets: Uint8Array,
    refusal: AgentAnswer,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const { cookies, signOn, forms, digest, clock } = this.#parts;
    const body = formText(octets);
    const owner = body === null ? null : await this.#ownerOf(event, sender);
    if (body === null || owner === null || !this.#allowance.take(event.metadata.clientIp)) return refusal;
    const begun = await signOn.begin(event);
    const { decision } = begun;
    const isBegun = decision.kind === 'redirect' || (decision.kind === 'block' && decision.status === 200);
    if (!isBegun || isCancelled(cancellation)) return refusal;
    const earlier = cookies.keptForm(event.headers);
    if (earlier !== null) await forms.take(digest.sha256Hex(earlier), clock.wallMs());
    const secret = await this.#store(event, sender, { ...owner, body });
    if (secret === null) return refusal;
    return {
      ...begun,
      // 303: the browser does not send its form to the provider.
      decision: decision.kind === 'redirect' ? { ...decision, status: 303 } : decision,
      responseHeaders: [...begun.responseHeaders, cookies.setKeptForm(secret)],
    };
  }

  /** The user of the ended session; null: unknown. */
  async #ownerOf(
    { headers }: RequestHeadersEvent,
    { sessionId }: Sender,
  ): Promise<{ readonly salt: string; readonly owner: string } | null> {
    const { cookies, store, digest } = this.#parts;
    const found = await store.find(digest.sha256Hex(sessionId));
    if (!found.ok) return null;
    const salt = ownerSalt(digest, sessionId);
    const owner = found.value === null ? cookies.ownerMark(headers) : ownerMarkOf(digest, salt, found.value);
    return owner === null ? null : { salt, owner };
  }

  /** The secret that opens the form; null: the store is unavailable. */
  async #store(
    event: RequestHeadersEvent,
    { origin }: Sender,
    kept: { readonly salt: string; readonly owner: string; readonly body: string },
  ): Promise<string | null> {
    const { forms, secrets, random, digest, clock, logger } = this.#parts;
    const secret = random.token();
    const text = writeKeptForm({ ...kept, origin, target: event.uri, page: pageOf(event, origin) });
    const nowMs = clock.wallMs();
    const stored = await forms.insert({
      handleHash: digest.sha256Hex(secret),
      sealed: secrets.seal(secret, keptFormUse, text),
      createdMs: nowMs,
      expiresMs: nowMs + keptFormMs,
    });
    const fields = { trace_id: eventTraceId(event), correlation_id: event.correlationId };
    if (stored.ok) logger.info('a posted form is kept during a sign-on', fields);
    else logger.warn('a posted form could not be kept', { ...fields, detail: stored.error.reason });
    return stored.ok ? secret : null;
  }
}
