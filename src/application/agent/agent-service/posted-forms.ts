import type {
  AgentAnswer,
  RequestBodyChunkEvent,
  RequestHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { addressGroup } from '../../../domain/http/ip-address.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { FormBuffer } from './form-buffer.js';

interface Counts {
  underWay: number;
  /** Buffered octets of pending forms. */
  octets: number;
  dropped: number;
}

const none: Counts = { underWay: 0, octets: 0, dropped: 0 };

/** Counts forms, in total and per address group. Forgets groups without forms. */
class FormCounts {
  readonly #ofGroup = new Map<string, Counts>();
  readonly #all: Counts = { ...none };

  get all(): Readonly<Counts> {
    return this.#all;
  }

  of(group: string): Readonly<Counts> {
    return this.#ofGroup.get(group) ?? none;
  }

  /** @param change the amounts to add */
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

/** A form as it was posted. */
export interface ReceivedForm {
  readonly octets: Uint8Array;
  /** Index of the last chunk. */
  readonly chunkIndex: number;
}

/** A form at a path that is not an endpoint. The agent must read it before it can answer the request. */
export interface RequestedForm {
  /** The answer to the head, which asks for the body. */
  readonly headAnswer: AgentAnswer;
  /** Maximum octets. */
  readonly formOctets: number;
  /** Whether the answer replaces the body: the octets before the last chunk are then dropped. */
  readonly replacesBody: boolean;
  answerForm(form: ReceivedForm, cancellation: Cancellation): Promise<AgentAnswer>;
  /** Answers a request whose body could not be read. */
  refuseForm(kind: RefusedForm['kind']): AgentAnswer;
}

/** A request with a pending form. */
export interface PostedRequest {
  readonly event: RequestHeadersEvent;
  /** Normalised. */
  readonly path: string;
  /** Maximum octets of the form. */
  readonly formOctets: number;
  /** Null: the endpoint of the path reads the form. */
  readonly requested: RequestedForm | null;
}

/** A form that could not be received. */
export interface RefusedForm {
  /**
   * `overloaded`: the pending forms of this client use all their memory. `dropped`: the form was late or evicted, and
   * its partial content must not be forwarded.
   */
  readonly kind: 'too_large' | 'overloaded' | 'dropped';
  readonly event: RequestHeadersEvent;
}

/** The result of a chunk. After any result but `more`, the form is no longer pending. */
export type FormProgress =
  /** No form is pending for this id: the agent did not request the body. */
  | { readonly kind: 'not_awaited' }
  | { readonly kind: 'more'; readonly isDropped: boolean }
  | {
      readonly kind: 'complete';
      readonly request: PostedRequest;
      readonly form: Uint8Array;
      readonly chunkIndex: number;
    }
  | { readonly kind: RefusedForm['kind']; readonly request: PostedRequest };

export interface PostedFormLimits {
  /** Octets of all forms together. If exceeded, the form is evicted that has waited longest for its next octets. */
  readonly totalOctets: number;
  /** Octets of all forms of one address group. A chunk that exceeds it is refused. */
  readonly octetsOfGroup: number;
  /** Pending forms. If exceeded, a form of the group with most forms is evicted. */
  readonly forms: number;
  /**
   * Pending forms per group. If exceeded, the form of the group is evicted that has waited longest for its next octets.
   */
  readonly formsOfGroup: number;
  /** Dropped forms whose request has not ended. At the limit, new forms are refused. */
  readonly droppedForms: number;
  /** The same per group. */
  readonly droppedFormsOfGroup: number;
  /** Milliseconds from the head of the request to the last chunk. */
  readonly deadlineMs: number;
  /**
   * Milliseconds for which chunks of a dropped form are refused. Longer than the longest request, which may last a day:
   * a later chunk would let a request pass that was refused.
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
  refusedMs: 90_000_000,
};

interface AwaitedForm {
  readonly request: PostedRequest;
  readonly connection: symbol;
  /** The address group of the client. */
  readonly group: string;
  /** Drops the form; after that, forgets it. */
  timer: ScheduledTask;
  /** Null once dropped. The remaining entry marks chunks still to come as refused. */
  buffer: FormBuffer | null;
}

/** Collects requested bodies. Correlation ids are unique per connection. */
export class PostedForms {
  readonly #scheduler: Scheduler;
  readonly #limits: PostedFormLimits;
  readonly #byConnection = new Map<symbol, Map<string, AwaitedForm>>();
  /** Forms that are not dropped; the one that has waited longest for octets first. */
  readonly #underWay = new Set<AwaitedForm>();
  readonly #counts = new FormCounts();
  #isStopped = false;

  constructor(scheduler: Scheduler, limits: PostedFormLimits = formLimits) {
    this.#scheduler = scheduler;
    this.#limits = limits;
  }

  /** Begins to wait for the body of a request; false if there is no room. */
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

  /** Forgets a form whose request was cancelled. */
  cancel(correlationId: string, connection: symbol): void {
    const awaited = this.#byConnection.get(connection);
    const form = awaited?.get(correlationId);
    if (awaited === undefined || form === undefined) return;
    awaited.delete(correlationId);
    if (awaited.size === 0) this.#byConnection.delete(connection);
    this.#forget(form);
  }

  /** Forgets all forms of a closed connection. */
  disconnected(connection: symbol): void {
    const awaited = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    for (const form of awaited?.values() ?? []) this.#forget(form);
  }

  /** Drops all pending forms and accepts no more. */
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
    const { chunkIndex } = chunk;
    if (chunk.isLast) return { kind: 'complete', request, form: buffer.octets(), chunkIndex };
    if (chunk.data.length > 0) {
      this.#underWay.delete(form);
      this.#underWay.add(form);
    }
    return { kind: 'more', isDropped: request.requested?.replacesBody === true };
  }

  /** False: the group is at its limit, or no form is left to evict. */
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
   * False: there are too many dropped forms. INVARIANT: a dropped form is never evicted, not even for one of its own
   * group. Its next chunk would match no form, and the request would go on to the upstream.
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

  /**
   * Evicts a form of the group that would have most forms with the new one: the form that has waited longest for
   * octets.
   */
  #giveUpOfLargest(newcomers: string): void {
    const formsOf = ({ group }: AwaitedForm): number => this.#counts.of(group).underWay + (group === newcomers ? 1 : 0);
    let most = 0;
    for (const form of this.#underWay) most = Math.max(most, formsOf(form));
    this.#giveUpFirst((form) => formsOf(form) === most);
  }

  /** Evicts the matching form that has waited longest for octets; false if none matches. */
  #giveUpFirst(isMeant: (form: AwaitedForm) => boolean): boolean {
    for (const form of this.#underWay) {
      if (!isMeant(form)) continue;
      this.#giveUp(form);
      return true;
    }
    return false;
  }

  /** Drops the form, and refuses its further chunks. */
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
