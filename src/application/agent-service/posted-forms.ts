import type { RequestBodyChunkEvent, RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import type { ScheduledTask, Scheduler } from '../ports/scheduler.js';
import { FormBuffer } from './form-buffer.js';

/** A form that cannot be had. */
export interface RefusedForm {
  /**
   * `overloaded`: the forms that are under way take all the memory that they may; `dropped`: it was not all there in time,
   * and what had come must not go on to anybody.
   */
  readonly kind: 'too_large' | 'overloaded' | 'dropped';
  readonly event: RequestHeadersEvent;
}

/** What a piece of a body comes to. But for `more`, the form is awaited no longer. */
export type FormProgress =
  /** No form is awaited by that id: the request was never asked for its body. */
  | { readonly kind: 'not_awaited' }
  | { readonly kind: 'more' }
  | { readonly kind: 'complete'; readonly event: RequestHeadersEvent; readonly form: Uint8Array }
  | RefusedForm;

export interface FormLimits {
  /** Octets of one form. */
  readonly formOctets: number;
  /** Octets that all forms take together. */
  readonly totalOctets: number;
  /** Forms under way at a time. */
  readonly forms: number;
  /** Forms that were dropped and whose client has not ended; with so many no new one is awaited. */
  readonly droppedForms: number;
  /** Milliseconds from the head of the request to the last piece. */
  readonly deadlineMs: number;
  /** Milliseconds for which a dropped form is refused. Requests do not last so long, even where nobody says that they have ended. */
  readonly refusedMs: number;
}

const mebibyte = 1_048_576;

export const formLimits: FormLimits = {
  formOctets: mebibyte,
  totalOctets: 64 * mebibyte,
  forms: 256,
  droppedForms: 4096,
  deadlineMs: 30_000,
  refusedMs: 600_000,
};

interface AwaitedForm {
  readonly event: RequestHeadersEvent;
  /** Drops it, or, once it was dropped, forgets it. */
  timer: ScheduledTask;
  /** Null once it was dropped. What stays says that pieces still to come are to be refused, not let through. */
  buffer: FormBuffer | null;
}

/** Collects the bodies of requests that are asked for theirs. Connections have their own ids each. */
export class PostedForms {
  readonly #scheduler: Scheduler;
  readonly #limits: FormLimits;
  readonly #byConnection = new Map<symbol, Map<string, AwaitedForm>>();
  #forms = 0;
  #dropped = 0;
  #octets = 0;
  #isStopped = false;

  constructor(scheduler: Scheduler, limits: FormLimits = formLimits) {
    this.#scheduler = scheduler;
    this.#limits = limits;
  }

  /** The body of this request is awaited from now on; false: there is no room for one more. */
  begin(event: RequestHeadersEvent, connection: symbol): boolean {
    this.cancel(event.correlationId, connection);
    const { forms, droppedForms, formOctets, deadlineMs, refusedMs } = this.#limits;
    if (this.#isStopped || this.#forms >= forms || this.#dropped >= droppedForms) return false;
    const form: AwaitedForm = {
      event,
      timer: this.#scheduler.after(deadlineMs, () => {
        this.#drop(form);
        form.timer = this.#scheduler.after(refusedMs, () => this.cancel(event.correlationId, connection));
      }),
      buffer: new FormBuffer(formOctets),
    };
    this.#forms += 1;
    let awaited = this.#byConnection.get(connection);
    if (awaited === undefined) {
      awaited = new Map();
      this.#byConnection.set(connection, awaited);
    }
    awaited.set(event.correlationId, form);
    return true;
  }

  take(chunk: RequestBodyChunkEvent, connection: symbol): FormProgress {
    const awaited = this.#byConnection.get(connection)?.get(chunk.correlationId);
    if (awaited === undefined) return { kind: 'not_awaited' };
    const { event, buffer } = awaited;
    const progress = this.#progress(chunk, event, buffer);
    if (progress.kind !== 'more') this.cancel(chunk.correlationId, connection);
    return progress;
  }

  /** Nobody waits for it any more. */
  cancel(correlationId: string, connection: symbol): void {
    const awaited = this.#byConnection.get(connection);
    const form = awaited?.get(correlationId);
    if (awaited === undefined || form === undefined) return;
    awaited.delete(correlationId);
    if (awaited.size === 0) this.#byConnection.delete(connection);
    this.#forget(form);
  }

  /** The connection has ended, and every form of it with it. */
  disconnected(connection: symbol): void {
    const awaited = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    for (const form of awaited?.values() ?? []) this.#forget(form);
  }

  /** Drops all that are under way, and awaits none from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const awaited of this.#byConnection.values()) {
      for (const form of awaited.values()) this.#drop(form);
    }
  }

  #progress(chunk: RequestBodyChunkEvent, event: RequestHeadersEvent, buffer: FormBuffer | null): FormProgress {
    if (buffer === null) return { kind: 'dropped', event };
    if ((chunk.totalSize ?? 0) > this.#limits.formOctets || !buffer.fits(chunk.data))
      return { kind: 'too_large', event };
    const growth = buffer.growthFor(chunk.data);
    if (this.#octets + growth > this.#limits.totalOctets) return { kind: 'overloaded', event };
    this.#octets += growth;
    buffer.add(chunk.data);
    return chunk.isLast ? { kind: 'complete', event, form: buffer.octets() } : { kind: 'more' };
  }

  #free(form: AwaitedForm, { capacity }: FormBuffer): void {
    this.#forms -= 1;
    this.#octets -= capacity;
    form.buffer = null;
  }

  #drop(form: AwaitedForm): void {
    form.timer.cancel();
    if (form.buffer === null) return;
    this.#free(form, form.buffer);
    this.#dropped += 1;
  }

  #forget(form: AwaitedForm): void {
    form.timer.cancel();
    if (form.buffer === null) this.#dropped -= 1;
    else this.#free(form, form.buffer);
  }
}
