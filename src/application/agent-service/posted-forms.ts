import type { RequestBodyChunkEvent, RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import type { ScheduledTask, Scheduler } from '../ports/scheduler.js';
import { FormBuffer } from './form-buffer.js';
import { FormCounts } from './form-counts.js';

/** A form that cannot be had. */
export interface RefusedForm {
  /**
   * `overloaded`: the forms that are under way take all the memory that they may; `dropped`: it was not all there in time, or
   * made way for another one, and what had come must not go on to anybody.
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
  /** Forms under way at a time; for one more, the one makes way that has waited longest without octets. */
  readonly forms: number;
  /** The same for the forms of one client address. */
  readonly formsOfAddress: number;
  /** Forms that were dropped and whose client has not ended; with so many no new one is awaited. */
  readonly droppedForms: number;
  /** The same for the forms of one client address. */
  readonly droppedFormsOfAddress: number;
  /** Milliseconds from the head of the request to the last piece. */
  readonly deadlineMs: number;
  /** Milliseconds for which a dropped form is refused. Requests do not last so long, even where nobody says that they have ended. */
  readonly refusedMs: number;
}

const mebibyte = 1_048_576;

export const formLimits: FormLimits = {
  formOctets: mebibyte,
  totalOctets: 64 * mebibyte,
  forms: 1024,
  formsOfAddress: 32,
  droppedForms: 4096,
  droppedFormsOfAddress: 256,
  deadlineMs: 30_000,
  refusedMs: 600_000,
};

interface AwaitedForm {
  readonly event: RequestHeadersEvent;
  readonly connection: symbol;
  /** Drops it, or, once it was dropped, forgets it. */
  timer: ScheduledTask;
  /** Null once it was dropped. What stays says that pieces still to come are to be refused, not let through. */
  buffer: FormBuffer | null;
}

const addressOf = ({ event }: AwaitedForm): string => event.metadata.clientIp;

/** Collects the bodies of requests that are asked for theirs. Connections have their own ids each. */
export class PostedForms {
  readonly #scheduler: Scheduler;
  readonly #limits: FormLimits;
  readonly #byConnection = new Map<symbol, Map<string, AwaitedForm>>();
  /** Those that were not dropped; first the one that has waited longest without octets. */
  readonly #underWay = new Set<AwaitedForm>();
  readonly #counts = new FormCounts();
  #octets = 0;
  #isStopped = false;

  constructor(scheduler: Scheduler, limits: FormLimits = formLimits) {
    this.#scheduler = scheduler;
    this.#limits = limits;
  }

  /** The body of this request is awaited from now on; false: there is no room for one more. */
  begin(event: RequestHeadersEvent, connection: symbol): boolean {
    this.cancel(event.correlationId, connection);
    const address = event.metadata.clientIp;
    if (this.#isStopped || !this.#makeRoom(address)) return false;
    const form: AwaitedForm = {
      event,
      connection,
      timer: this.#scheduler.after(this.#limits.deadlineMs, () => this.#giveUp(form)),
      buffer: new FormBuffer(this.#limits.formOctets),
    };
    this.#underWay.add(form);
    this.#counts.change(address, { underWay: 1, dropped: 0 });
    let awaited = this.#byConnection.get(connection);
    if (awaited === undefined) {
      awaited = new Map();
      this.#byConnection.set(connection, awaited);
    }
    awaited.set(event.correlationId, form);
    return true;
  }

  take(chunk: RequestBodyChunkEvent, connection: symbol): FormProgress {
    const form = this.#byConnection.get(connection)?.get(chunk.correlationId);
    if (form === undefined) return { kind: 'not_awaited' };
    const progress = this.#progress(chunk, form);
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

  #progress(chunk: RequestBodyChunkEvent, form: AwaitedForm): FormProgress {
    const { event, buffer } = form;
    if (buffer === null) return { kind: 'dropped', event };
    if ((chunk.totalSize ?? 0) > this.#limits.formOctets || !buffer.fits(chunk.data))
      return { kind: 'too_large', event };
    const growth = buffer.growthFor(chunk.data);
    if (this.#octets + growth > this.#limits.totalOctets) return { kind: 'overloaded', event };
    this.#octets += growth;
    buffer.add(chunk.data);
    if (chunk.isLast) return { kind: 'complete', event, form: buffer.octets() };
    if (chunk.data.length > 0) {
      this.#underWay.delete(form);
      this.#underWay.add(form);
    }
    return { kind: 'more' };
  }

  /** False: there are too many of which nobody may make way, being dropped. */
  #makeRoom(address: string): boolean {
    const { forms, formsOfAddress, droppedForms, droppedFormsOfAddress } = this.#limits;
    const { all } = this.#counts;
    const own = this.#counts.of(address);
    if (all.dropped >= droppedForms || own.dropped >= droppedFormsOfAddress) return false;
    if (own.underWay >= formsOfAddress) this.#giveUpFirst((form) => addressOf(form) === address);
    else if (all.underWay >= forms) this.#giveUpFirst(() => true);
    return true;
  }

  #giveUpFirst(isMeant: (form: AwaitedForm) => boolean): void {
    for (const form of this.#underWay) {
      if (!isMeant(form)) continue;
      this.#giveUp(form);
      return;
    }
  }

  /** Nothing more of it is taken, and whatever still comes is refused. */
  #giveUp(form: AwaitedForm): void {
    this.#drop(form);
    const { event, connection } = form;
    form.timer = this.#scheduler.after(this.#limits.refusedMs, () => this.cancel(event.correlationId, connection));
  }

  #free(form: AwaitedForm, { capacity }: FormBuffer): void {
    this.#underWay.delete(form);
    this.#counts.change(addressOf(form), { underWay: -1, dropped: 0 });
    this.#octets -= capacity;
    form.buffer = null;
  }

  #drop(form: AwaitedForm): void {
    form.timer.cancel();
    if (form.buffer === null) return;
    this.#free(form, form.buffer);
    this.#counts.change(addressOf(form), { underWay: 0, dropped: 1 });
  }

  #forget(form: AwaitedForm): void {
    form.timer.cancel();
    if (form.buffer === null) this.#counts.change(addressOf(form), { underWay: 0, dropped: -1 });
    else this.#free(form, form.buffer);
  }
}
