import type { RequestBodyChunkEvent, RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { addressGroup } from '../../../domain/http/ip-address.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { FormBuffer } from './form-buffer.js';

interface Counts {
  underWay: number;
  /** That the forms under way take. */
  octets: number;
  dropped: number;
}

const none: Counts = { underWay: 0, octets: 0, dropped: 0 };

/** How many forms there are, in all and of each address group. It remembers a group as long as there are any of it. */
class FormCounts {
  readonly #ofGroup = new Map<string, Counts>();
  readonly #all: Counts = { ...none };

  get all(): Readonly<Counts> {
    return this.#all;
  }

  of(group: string): Readonly<Counts> {
    return this.#ofGroup.get(group) ?? none;
  }

  /** @param change what is added to the counts */
  change(group: string, { underWay = 0, octets = 0, dropped = 0 }: Readonly<Partial<Counts>>): void {
    const counts = this.#ofGroup.get(group) ?? { ...none };
    for (const changed of [counts, this.#all]) {
      changed.underWay += underWay;
      changed.octets += octets;
      changed.dropped += dropped;
    }
    if (counts.underWay === 0 && counts.dropped === 0) this.#ofGroup.delete(group);
    else this.#ofGroup.set(group, counts);
  }
}

/** A request whose form is awaited. */
export interface PostedRequest {
  readonly event: RequestHeadersEvent;
  /** Normalised. */
  readonly path: string;
  /** Octets of the form at most. */
  readonly formOctets: number;
}

/** A form that cannot be had. */
export interface RefusedForm {
  /**
   * `overloaded`: the forms that its client has under way take all the memory that they may; `dropped`: it was not
   * all there in time, or made way for another one, and what had come must not go on to anybody.
   */
  readonly kind: 'too_large' | 'overloaded' | 'dropped';
  readonly event: RequestHeadersEvent;
}

/** What a piece of a body comes to. But for `more`, the form is awaited no longer. */
export type FormProgress =
  /** No form is awaited by that id: the request was never asked for its body. */
  | { readonly kind: 'not_awaited' }
  | { readonly kind: 'more' }
  | { readonly kind: 'complete'; readonly request: PostedRequest; readonly form: Uint8Array }
  | { readonly kind: RefusedForm['kind']; readonly request: PostedRequest };

export interface PostedFormLimits {
  /**
   * Octets that all forms take together; for more of them, the form makes way that has waited longest for its next
   * ones.
   */
  readonly totalOctets: number;
  /** Octets that the forms of one address group take together; a piece that needs more is refused. */
  readonly octetsOfGroup: number;
  /** Forms under way at a time; for one more, one makes way of the group that has most of them. */
  readonly forms: number;
  /** The same for the forms of one group; for one more, the one makes way that has waited longest without octets. */
  readonly formsOfGroup: number;
  /** Forms that were dropped and whose client has not ended; with so many no new one is awaited. */
  readonly droppedForms: number;
  /** The same for the forms of one group. */
  readonly droppedFormsOfGroup: number;
  /** Milliseconds from the head of the request to the last piece. */
  readonly deadlineMs: number;
  /**
   * Milliseconds for which a dropped form is refused. Requests do not last so long, even where nobody says that they
   * have ended.
   */
  readonly refusedMs: number;
}

const mebibyte = 1_048_576;

export const formLimits: PostedFormLimits = {
  totalOctets: 64 * mebibyte,
  octetsOfGroup: 4 * mebibyte,
  forms: 1024,
  formsOfGroup: 256,
  droppedForms: 65_536,
  droppedFormsOfGroup: 32,
  deadlineMs: 30_000,
  refusedMs: 600_000,
};

interface AwaitedForm {
  readonly request: PostedRequest;
  readonly connection: symbol;
  /** Of its client's address. */
  readonly group: string;
  /** Drops it, or, once it was dropped, forgets it. */
  timer: ScheduledTask;
  /** Null once it was dropped. What stays says that pieces still to come are to be refused, not let through. */
  buffer: FormBuffer | null;
}

/** Collects the bodies of requests that are asked for theirs. Connections have their own ids each. */
export class PostedForms {
  readonly #scheduler: Scheduler;
  readonly #limits: PostedFormLimits;
  readonly #byConnection = new Map<symbol, Map<string, AwaitedForm>>();
  /** Those that were not dropped; first the one that has waited longest without octets. */
  readonly #underWay = new Set<AwaitedForm>();
  readonly #counts = new FormCounts();
  #isStopped = false;

  constructor(scheduler: Scheduler, limits: PostedFormLimits = formLimits) {
    this.#scheduler = scheduler;
    this.#limits = limits;
  }

  /** The body of this request is awaited from now on; false: there is no room for one more. */
  begin(request: PostedRequest, connection: symbol): boolean {
    const { event, formOctets } = request;
    this.cancel(event.correlationId, connection);
    const group = addressGroup(event.metadata.clientIp);
    if (this.#isStopped || !this.#makeRoom(group)) return false;
    const form: AwaitedForm = {
      request,
      connection,
      group,
      timer: this.#scheduler.after(this.#limits.deadlineMs, () => this.#giveUp(form)),
      buffer: new FormBuffer(formOctets),
    };
    this.#underWay.add(form);
    this.#counts.change(group, { underWay: 1 });
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
    const { request, buffer } = form;
    if (buffer === null) return { kind: 'dropped', request };
    if ((chunk.totalSize ?? 0) > request.formOctets || !buffer.fits(chunk.data)) return { kind: 'too_large', request };
    const growth = buffer.growthFor(chunk.data);
    if (!this.#makeRoomForOctets(growth, form)) return { kind: 'overloaded', request };
    this.#counts.change(form.group, { octets: growth });
    buffer.add(chunk.data);
    if (chunk.isLast) return { kind: 'complete', request, form: buffer.octets() };
    if (chunk.data.length > 0) {
      this.#underWay.delete(form);
      this.#underWay.add(form);
    }
    return { kind: 'more' };
  }

  /** False: the group takes all that it may, or nobody is left to make way. */
  #makeRoomForOctets(growth: number, grown: AwaitedForm): boolean {
    const { totalOctets, octetsOfGroup } = this.#limits;
    if (this.#counts.of(grown.group).octets + growth > octetsOfGroup) return false;
    const givesRoom = (form: AwaitedForm): boolean =>
      form !== grown && form.buffer !== null && form.buffer.capacity > 0;
    while (this.#counts.all.octets + growth > totalOctets) {
      if (!this.#giveUpFirst(givesRoom)) return false;
    }
    return true;
  }

  /**
   * False: there are too many dropped ones. INVARIANT: none of these is forgotten for another one, not even for one
   * of its own group: its next piece would be one that nobody awaits, and the request would go on to the upstream.
   */
  #makeRoom(group: string): boolean {
    const { forms, formsOfGroup, droppedForms, droppedFormsOfGroup } = this.#limits;
    const { all } = this.#counts;
    const own = this.#counts.of(group);
    if (all.dropped >= droppedForms || own.dropped >= droppedFormsOfGroup) return false;
    if (own.underWay >= formsOfGroup) this.#giveUpFirst((form) => form.group === group);
    else if (all.underWay >= forms) this.#giveUpOfLargest(group);
    return true;
  }

  /** The group that would have most forms with the new one loses the one that has waited longest without octets. */
  #giveUpOfLargest(newcomers: string): void {
    const formsOf = ({ group }: AwaitedForm): number => this.#counts.of(group).underWay + (group === newcomers ? 1 : 0);
    let most = 0;
    for (const form of this.#underWay) most = Math.max(most, formsOf(form));
    this.#giveUpFirst((form) => formsOf(form) === most);
  }

  /** Of those that are meant, the one that has waited longest without octets; false: none is. */
  #giveUpFirst(isMeant: (form: AwaitedForm) => boolean): boolean {
    for (const form of this.#underWay) {
      if (!isMeant(form)) continue;
      this.#giveUp(form);
      return true;
    }
    return false;
  }

  /** Nothing more of it is taken, and whatever still comes is refused. */
  #giveUp(form: AwaitedForm): void {
    this.#drop(form);
    const { request, connection } = form;
    form.timer = this.#scheduler.after(this.#limits.refusedMs, () =>
      this.cancel(request.event.correlationId, connection),
    );
  }

  #free(form: AwaitedForm, { capacity }: FormBuffer): void {
    this.#underWay.delete(form);
    this.#counts.change(form.group, { underWay: -1, octets: -capacity });
    form.buffer = null;
  }

  #drop(form: AwaitedForm): void {
    form.timer.cancel();
    if (form.buffer === null) return;
    this.#free(form, form.buffer);
    this.#counts.change(form.group, { dropped: 1 });
  }

  #forget(form: AwaitedForm): void {
    form.timer.cancel();
    if (form.buffer === null) this.#counts.change(form.group, { dropped: -1 });
    else this.#free(form, form.buffer);
  }
}
