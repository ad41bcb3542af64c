import { maxMirrorResponseOctets } from '../../../../domain/gateway/route-transforms/mirror.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import type { BodySource } from '../../../ports/gateway/body-source.js';
import type {
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamResponse,
} from '../../../ports/gateway/upstream-client.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import type { BalancingRequest, ChosenTarget, TargetChooser } from '../../choose-upstream/chosen-target.js';
import type { BufferedBody } from '../buffered-body.js';

/** A copy that is ready to be sent. */
export interface RequestToMirror {
  readonly clientIp: string;
  readonly isSecure: boolean;
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderList;
  /** Null: it has none. */
  readonly body: BufferedBody | null;
}

/** How copies are sent to one upstream. */
export interface MirrorSending {
  readonly chooser: TargetChooser;
  readonly scheduler: Scheduler;
  /** For a copy with its whole response; milliseconds. */
  readonly timeoutMs: number;
}

/** The end of a copy. `detail` says why there was no response. */
export type MirrorEnd =
  | { readonly result: 'answered' }
  | { readonly result: 'failed' | 'no_target'; readonly detail: string };

const noTargets: readonly string[] = [];
const answered: MirrorEnd = { result: 'answered' };

/**
 * Sends one copy of a request to a target of the mirror and drops the response. The targets do not learn the outcome:
 * a copy without credentials may fail where a request would not.
 */
export class MirroredRequest implements UpstreamListener, BalancingRequest {
  readonly #request: RequestToMirror;
  readonly #sending: MirrorSending;
  readonly #onEnd: (end: MirrorEnd) => void;
  #tried = noTargets;
  #target: ChosenTarget | null = null;
  #sent: UpstreamExchange | null = null;
  #deadline: ScheduledTask | null = null;
  #isAnswered = false;
  #hasRetried = false;
  #isOver = false;

  private constructor(request: RequestToMirror, sending: MirrorSending, onEnd: (end: MirrorEnd) => void) {
    this.#request = request;
    this.#sending = sending;
    this.#onEnd = onEnd;
  }

  /** Sends the copy. `onEnd` is called once, possibly before this returns. */
  static send(request: RequestToMirror, sending: MirrorSending, onEnd: (end: MirrorEnd) => void): void {
    const mirrored = new MirroredRequest(request, sending, onEnd);
    try {
      mirrored.#begin();
    } catch (error) {
      mirrored.#fail(error);
    }
  }

  get clientIp(): string {
    return this.#request.clientIp;
  }

  get headers(): HeaderList {
    return this.#request.headers;
  }

  get isSecure(): boolean {
    return this.#request.isSecure;
  }

  get tried(): readonly string[] {
    return this.#tried;
  }

  /** Interim responses are dropped. */
  informed(): void {}

  answered({ body }: UpstreamResponse): void {
    this.#isAnswered = true;
    if (body === null) this.#end(answered);
    else void this.#drop(body);
  }

  failed(failure: UpstreamFailure): void {
    try {
      if (failure.isUnconnected === true && this.#tryNextAddress()) return;
      this.#end({ result: 'failed', detail: failure.detail });
    } catch (error) {
      this.#fail(error);
    }
  }

  takeRetry(): boolean {
    const mayRetry = !this.#hasRetried && !this.#isOver;
    this.#hasRetried = true;
    return mayRetry;
  }

  restartBody(): BodySource | null {
    return this.#request.body?.begin() ?? null;
  }

  #begin(): void {
    const { chooser, scheduler, timeoutMs } = this.#sending;
    const choice = chooser.choose(this);
    if (choice.kind !== 'chosen') {
      this.#end({ result: 'no_target', detail: 'no target of the upstream is available' });
      return;
    }
    this.#deadline = scheduler.after(timeoutMs, () => this.#stop(`no whole response within ${timeoutMs} ms`));
    this.#send(choice);
  }

  #send(target: ChosenTarget): void {
    const { method, target: path, headers, body } = this.#request;
    const { timeoutMs } = this.#sending;
    this.#target = target;
    this.#sent = target.client.send(
      {
        method,
        target: path,
        headers,
        received: null,
        body: body?.begin() ?? null,
        upgradeToWebSocket: false,
        timeoutMs,
        readMs: null,
        configuredTimeoutMs: timeoutMs,
      },
      this,
    );
  }

  /** The other addresses of a name stand for the one that cannot be connected to. */
  #tryNextAddress(): boolean {
    const target = this.#target;
    if (target === null || this.#isOver) return false;
    this.#tried = [...this.#tried, target.address];
    const next = target.next(this, true);
    if (next === null) return false;
    target.ended('neither');
    this.#send(next);
    return true;
  }

  /** Reads the response to its end, to `maxMirrorResponseOctets` or to the deadline, so that its connection is free. */
  async #drop(body: BodySource): Promise<void> {
    try {
      let octets = 0;
      for (let piece = await body.read(); piece !== null; piece = await body.read()) {
        octets += piece.length;
        body.reuse?.(piece);
        if (octets <= maxMirrorResponseOctets && !this.#isOver) continue;
        this.#sent?.cancel();
        break;
      }
    } catch {
      // The response ended early: nobody reads it.
    }
    this.#end(answered);
  }

  #stop(detail: string): void {
    const sent = this.#sent;
    this.#end(this.#isAnswered ? answered : { result: 'failed', detail });
    sent?.cancel();
  }

  #fail(error: unknown): void {
    this.#stop(error instanceof Error ? error.message : String(error));
  }

  #end(end: MirrorEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline?.cancel();
    this.#target?.ended('neither');
    this.#onEnd(end);
  }
}
