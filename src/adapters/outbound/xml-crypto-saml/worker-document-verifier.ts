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

/** Limits of a queue. */
interface QueueLimits {
  readonly waiting: number;
  /** Total characters of the documents. */
  readonly waitingCharacters: number;
  readonly deadlineMs: number;
}

/** A FIFO queue of orders of one kind. */
class OrderQueue {
  readonly #limits: QueueLimits;
  readonly #orders = new Set<VerificationOrder>();
  #characters = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#orders.size === 0;
  }

  /**
   * Queues an order until it is taken, answered or timed out. Answers with `overloaded` if the
   * queue is full.
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

  /** Takes the oldest order; null if empty. */
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

  /** Answers all orders with `verifier_failed`. */
  clear(): void {
    for (const order of this.#orders) order.answer(err('verifier_failed'));
    this.#orders.clear();
    this.#characters = 0;
  }
}

/** Limits of threads and queues. */
export interface VerificationLimits {
  readonly threads: number;
  /** Maximum queued responses and their total characters. */
  readonly waiting: number;
  readonly waitingCharacters: number;
  /** The same for logout messages. */
  readonly waitingLogouts: number;
  readonly waitingLogoutCharacters: number;
  /** The same for assertion tokens. */
  readonly waitingTokens: number;
  readonly waitingTokenCharacters: number;
  /** Limit of the time in the queue, and again of the work, in milliseconds. */
  readonly deadlineMs: number;
  /** The same for metadata, which has its own thread. */
  readonly metadataDeadlineMs: number;
}

const defaultLimits: VerificationLimits = {
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

/**
 * Whether responses take precedence: those users wait in their browsers, and the agent sent them.
 */
const hasLowPriority = ({ job }: VerificationOrder): boolean => job.kind !== 'response';

/**
 * Verifies documents on worker threads (main-saml-verifier), started by `warmUp` or on first use.
 * Documents queue in order; a full queue or a timeout answers with `overloaded`. Logout messages
 * and assertion tokens have low priority, because anyone can send them. They never precede a queued
 * response, never use its queue space, and never occupy the last of several threads. The two kinds
 * take turns.
 */
export class WorkerDocumentVerifier implements SamlDocumentVerifier {
  readonly #limits: VerificationLimits;
  readonly #threads: readonly VerificationThread[];
  readonly #metadata: MetadataVerification;
  readonly #responses: OrderQueue;
  readonly #logouts: OrderQueue;
  readonly #tokens: OrderQueue;
  /** The two low-priority queues; the next one to serve is first. */
  #lowPriority: readonly [OrderQueue, OrderQueue];
  /** Threads that run low-priority jobs. */
  #runningLowPriority = 0;
  #isStopped = false;
  #warmedUp: Promise<boolean> | null = null;

  constructor(program: URL, limits: Partial<VerificationLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
    const { threads, waiting, waitingCharacters, waitingLogouts, waitingLogoutCharacters } = this.#limits;
    const { waitingTokens, waitingTokenCharacters, deadlineMs, metadataDeadlineMs } = this.#limits;
    this.#threads = Array.from({ length: threads }, () => new VerificationThread(program, deadlineMs));
    this.#metadata = new MetadataVerification(program, metadataDeadlineMs);
    this.#responses = new OrderQueue({ waiting, waitingCharacters, deadlineMs });
    this.#logouts = new OrderQueue({
      waiting: waitingLogouts,
      waitingCharacters: waitingLogoutCharacters,
      deadlineMs,
    });
    this.#tokens = new OrderQueue({
      waiting: waitingTokens,
      waitingCharacters: waitingTokenCharacters,
      deadlineMs,
    });
    this.#lowPriority = [this.#logouts, this.#tokens];
  }

  async verifyResponse(encoded: string, keys: DocumentKeys, cancellation: Cancellation): Verified<VerifiedResponse> {
    if (encoded.length > responseBounds.encoded) return err('document_too_large');
    const result = await this.#verify({ kind: 'response', encoded, keys: jobKeys(keys) }, cancellation);
    // The job determines the result type, and the thread runs this program's code.
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

  /** Stops the threads; answers unfinished and later jobs with `verifier_failed`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#responses.clear();
    for (const waiting of this.#lowPriority) waiting.clear();
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
      order.cancelWith(cancellation, () => waiting.remove(order));
      if (order.isAnswered) return;
      const idle = this.#idleFor(order);
      if (idle === null) waiting.add(order);
      else void this.#run(idle, order);
    });
  }

  #queueOf(order: VerificationOrder): OrderQueue {
    if (!hasLowPriority(order)) return this.#responses;
    return order.job.kind === 'assertion' ? this.#tokens : this.#logouts;
  }

  /** An idle thread that may run the order now, without overtaking others; null if none. */
  #idleFor(order: VerificationOrder): VerificationThread | null {
    if (!this.#responses.isEmpty) return null;
    if (
      hasLowPriority(order) &&
      !(this.#hasRoomForLowPriority && this.#lowPriority.every((waiting) => waiting.isEmpty))
    )
      return null;
    return this.#threads.find((thread) => thread.isIdle) ?? null;
  }

  get #hasRoomForLowPriority(): boolean {
    return this.#runningLowPriority < Math.max(1, this.#threads.length - 1);
  }

  async #run(thread: VerificationThread, order: VerificationOrder): Promise<void> {
    const share = hasLowPriority(order) ? 1 : 0;
    this.#runningLowPriority += share;
    const result = await thread.run(order.job);
    this.#runningLowPriority -= share;
    // Has no effect if the order was cancelled meanwhile.
    order.answer(result);
    this.#runNext();
  }

  #runNext(): void {
    const idle = this.#threads.find((thread) => thread.isIdle);
    if (idle === undefined) return;
    const next = this.#responses.take() ?? (this.#hasRoomForLowPriority ? this.#takeLowPriority() : null);
    if (next !== null) void this.#run(idle, next);
  }

  #takeLowPriority(): VerificationOrder | null {
    const [first, second] = this.#lowPriority;
    this.#lowPriority = [second, first];
    return first.take() ?? second.take();
  }
}
