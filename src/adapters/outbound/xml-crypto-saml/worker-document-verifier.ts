import type {
  DocumentKeys,
  MetadataQuery,
  ReceivedMessage,
  SamlDocumentVerifier,
  UnusableMetadata,
  VerifierFailure,
} from '../../../application/ports/agent/saml-document-verifier.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import type {
  LogoutRequest,
  LogoutResponse,
  VerifiedAssertion,
  VerifiedResponse,
} from '../../../domain/agent/saml/assertion.js';
import type { DescribedIdentityProvider } from '../../../domain/agent/saml/metadata/read-identity-provider.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { logoutBounds, responseBounds } from './decode-document.js';
import { MetadataVerification } from './metadata-verification.js';
import { type JobResult, jobKeys, jobLength, type VerificationJob, VerificationOrder } from './verification-job.js';
import { VerificationThread } from './verification-thread.js';

/** How many may wait, and for how long. */
interface WaitingLimits {
  readonly waiting: number;
  /** Characters of their documents together. */
  readonly waitingCharacters: number;
  readonly deadlineMs: number;
}

/** Orders of one kind that wait for a thread, in the order in which they came. */
class WaitingOrders {
  readonly #limits: WaitingLimits;
  readonly #orders = new Set<VerificationOrder>();
  #characters = 0;

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#orders.size === 0;
  }

  /**
   * Takes it in, until it is taken out, answered or has waited too long; where too much waits, it
   * is answered with `overloaded`.
   */
  add(order: VerificationOrder): void {
    const { waiting, waitingCharacters, deadlineMs } = this.#limits;
    if (this.#orders.size >= waiting || this.#characters + order.length > waitingCharacters) {
      order.answer(err('overloaded'));
      return;
    }
    this.#orders.add(order);
    this.#characters += order.length;
    order.startWaiting(deadlineMs, () => this.remove(order));
  }

  /** The one that has waited longest; null: none waits. */
  take(): VerificationOrder | null {
    const [first] = this.#orders;
    if (first === undefined) return null;
    this.remove(first);
    first.endWaiting();
    return first;
  }

  remove(order: VerificationOrder): void {
    if (this.#orders.delete(order)) this.#characters -= order.length;
  }

  /** Answers all of them with `verifier_failed`. */
  clear(): void {
    for (const order of this.#orders) order.answer(err('verifier_failed'));
    this.#orders.clear();
    this.#characters = 0;
  }
}

/** Bounds of the work that is taken on. */
export interface VerificationLimits {
  readonly threads: number;
  /** Responses that wait for a thread, and their characters together. */
  readonly waiting: number;
  readonly waitingCharacters: number;
  /** The same for messages of single logout. */
  readonly waitingLogouts: number;
  readonly waitingLogoutCharacters: number;
  /** The same for assertions that are tokens. */
  readonly waitingTokens: number;
  readonly waitingTokenCharacters: number;
  /** Of the wait for a thread, and then of the work on the document. */
  readonly deadlineMs: number;
  /** The same for metadata, which has a thread of its own. */
  readonly metadataDeadlineMs: number;
}

const usualLimits: VerificationLimits = {
  threads: 2,
  waiting: 256,
  waitingCharacters: 64 * 1024 * 1024,
  waitingLogouts: 64,
  waitingLogoutCharacters: 4 * 1024 * 1024,
  waitingTokens: 256,
  waitingTokenCharacters: 64 * 1024 * 1024,
  deadlineMs: 5000,
  metadataDeadlineMs: 30_000,
};

type Verified<Value> = Promise<Result<Value, VerifierFailure>>;

/** Whether it may wait for people who sign on: they are at their browsers, and were sent by us. */
const isLesser = ({ job }: VerificationOrder): boolean => job.kind !== 'response';

/**
 * Verifies documents on threads of their own, which are started by `warmUp` or when they are first
 * needed. `program` is the built main-saml-verifier. Documents wait in the order in which they
 * came; one that waits too long, or finds too many others waiting, is refused with `overloaded`.
 * Nobody has to be signing on to send a message of single logout, or an assertion that is a token:
 * these never go before a response that waits, take no place from one in the queue, and never hold
 * the last thread (unless there is one alone). Where both kinds wait they take turns.
 */
export class WorkerDocumentVerifier implements SamlDocumentVerifier {
  readonly #limits: VerificationLimits;
  readonly #threads: readonly VerificationThread[];
  readonly #metadata: MetadataVerification;
  readonly #responses: WaitingOrders;
  readonly #logouts: WaitingOrders;
  readonly #tokens: WaitingOrders;
  /** The two that may wait for responses; the one whose turn it is comes first. */
  #lesser: readonly [WaitingOrders, WaitingOrders];
  /** Threads that are at work on anything but a response. */
  #runningLesser = 0;
  #isStopped = false;
  #warmedUp: Promise<boolean> | null = null;

  constructor(program: URL, limits: Partial<VerificationLimits> = {}) {
    this.#limits = { ...usualLimits, ...limits };
    const { threads, waiting, waitingCharacters, waitingLogouts, waitingLogoutCharacters } = this.#limits;
    const { waitingTokens, waitingTokenCharacters, deadlineMs, metadataDeadlineMs } = this.#limits;
    this.#threads = Array.from({ length: threads }, () => new VerificationThread(program, deadlineMs));
    this.#metadata = new MetadataVerification(program, metadataDeadlineMs);
    this.#responses = new WaitingOrders({ waiting, waitingCharacters, deadlineMs });
    this.#logouts = new WaitingOrders({
      waiting: waitingLogouts,
      waitingCharacters: waitingLogoutCharacters,
      deadlineMs,
    });
    this.#tokens = new WaitingOrders({
      waiting: waitingTokens,
      waitingCharacters: waitingTokenCharacters,
      deadlineMs,
    });
    this.#lesser = [this.#logouts, this.#tokens];
  }

  async verifyResponse(encoded: string, keys: DocumentKeys, cancellation: Cancellation): Verified<VerifiedResponse> {
    if (encoded.length > responseBounds.encoded) return err('document_too_large');
    const result = await this.#verify({ kind: 'response', encoded, keys: jobKeys(keys) }, cancellation);
    // The job says what its result is, and the thread runs this program's own code.
    return result as Result<VerifiedResponse, VerifierFailure>;
  }

  async verifyAssertion(encoded: string, keys: DocumentKeys, cancellation: Cancellation): Verified<VerifiedAssertion> {
    if (encoded.length > responseBounds.encoded) return err('document_too_large');
    const result = await this.#verify({ kind: 'assertion', encoded, keys: jobKeys(keys) }, cancellation);
    return result as Result<VerifiedAssertion, VerifierFailure>;
  }

  async verifyLogoutRequest(
    message: ReceivedMessage,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Verified<LogoutRequest> {
    const result = await this.#verifyLogout({ kind: 'logout_request', message, keys: jobKeys(keys) }, cancellation);
    return result as Result<LogoutRequest, VerifierFailure>;
  }

  async verifyLogoutResponse(
    message: ReceivedMessage,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Verified<LogoutResponse> {
    const result = await this.#verifyLogout({ kind: 'logout_response', message, keys: jobKeys(keys) }, cancellation);
    return result as Result<LogoutResponse, VerifierFailure>;
  }

  async verifyMetadata(
    text: string,
    query: MetadataQuery,
    cancellation: Cancellation,
  ): Promise<Result<DescribedIdentityProvider, VerifierFailure | UnusableMetadata>> {
    const result = await this.#metadata.verify({ kind: 'metadata', text, query }, cancellation);
    return result as Result<DescribedIdentityProvider, VerifierFailure | UnusableMetadata>;
  }

  warmUp(): Promise<boolean> {
    this.#warmedUp ??= this.#warmUp();
    return this.#warmedUp;
  }

  /**
   * Ends the threads; what they have not finished is answered with `verifier_failed`, as is
   * whatever comes after that.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#responses.clear();
    for (const waiting of this.#lesser) waiting.clear();
    await Promise.all([...this.#threads, this.#metadata].map((stopped) => stopped.stop()));
  }

  async #warmUp(): Promise<boolean> {
    if (this.#isStopped) return false;
    const idle = this.#threads.filter((thread) => thread.isIdle);
    const results = await Promise.all(
      idle.map(
        (thread) =>
          new Promise<JobResult>((resolve) => {
            void this.#run(thread, new VerificationOrder({ kind: 'warm_up' }, resolve));
          }),
      ),
    );
    return results.every((result) => result.ok);
  }

  #verifyLogout(job: VerificationJob, cancellation: Cancellation): Promise<JobResult> {
    if (jobLength(job) > logoutBounds.encoded) return Promise.resolve(err('document_too_large'));
    return this.#verify(job, cancellation);
  }

  #verify(job: VerificationJob, cancellation: Cancellation): Promise<JobResult> {
    if (this.#isStopped) return Promise.resolve(err('verifier_failed'));
    return new Promise((resolve) => {
      const order = new VerificationOrder(job, resolve);
      const waiting = this.#queueOf(order);
      order.heed(cancellation, () => waiting.remove(order));
      if (order.isAnswered) return;
      const idle = this.#idleFor(order);
      if (idle === null) waiting.add(order);
      else void this.#run(idle, order);
    });
  }

  #queueOf(order: VerificationOrder): WaitingOrders {
    if (!isLesser(order)) return this.#responses;
    return order.job.kind === 'assertion' ? this.#tokens : this.#logouts;
  }

  /** An idle thread that may do it at once, before nobody else. */
  #idleFor(order: VerificationOrder): VerificationThread | null {
    if (!this.#responses.isEmpty) return null;
    if (isLesser(order) && !(this.#hasRoomForLesser && this.#lesser.every((waiting) => waiting.isEmpty))) return null;
    return this.#threads.find((thread) => thread.isIdle) ?? null;
  }

  get #hasRoomForLesser(): boolean {
    return this.#runningLesser < Math.max(1, this.#threads.length - 1);
  }

  async #run(thread: VerificationThread, order: VerificationOrder): Promise<void> {
    const share = isLesser(order) ? 1 : 0;
    this.#runningLesser += share;
    const result = await thread.run(order.job);
    this.#runningLesser -= share;
    // What was cancelled meanwhile has been answered: nobody hears of this.
    order.answer(result);
    this.#runNext();
  }

  #runNext(): void {
    const idle = this.#threads.find((thread) => thread.isIdle);
    if (idle === undefined) return;
    const next = this.#responses.take() ?? (this.#hasRoomForLesser ? this.#takeLesser() : null);
    if (next !== null) void this.#run(idle, next);
  }

  #takeLesser(): VerificationOrder | null {
    const [first, second] = this.#lesser;
    this.#lesser = [second, first];
    return first.take() ?? second.take();
  }
}
