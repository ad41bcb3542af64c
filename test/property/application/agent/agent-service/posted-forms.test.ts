import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PostedFormLimits, PostedForms } from '../../../../../src/application/agent/agent-service/posted-forms.js';
import { chunkEvent, headersEvent } from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';

const connections = [Symbol('one'), Symbol('two')] as const;
const formOctets = 20;
const limits: PostedFormLimits = {
  totalOctets: 50,
  octetsOfGroup: 30,
  forms: 3,
  formsOfGroup: 2,
  droppedForms: 3,
  droppedFormsOfGroup: 2,
  deadlineMs: 100,
  refusedMs: 150,
};

type Step =
  | { readonly kind: 'begin'; readonly id: string; readonly connection: number; readonly address: string }
  | { readonly kind: 'cancel'; readonly id: string; readonly connection: number }
  | {
      readonly kind: 'take';
      readonly id: string;
      readonly connection: number;
      readonly data: Uint8Array;
      readonly isLast: boolean;
    }
  | { readonly kind: 'disconnect'; readonly connection: number }
  | { readonly kind: 'wait'; readonly ms: number };

const id = fc.constantFrom('a', 'b', 'c');
const address = fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3');
const connection = fc.constantFrom(0, 1);
const data = fc.uint8Array({ maxLength: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const), id, connection, address }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('take' as const), id, connection, data, isLast: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), id, connection }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('disconnect' as const), connection }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 70 }) }) },
);

interface ModelForm {
  readonly address: string;
  lastTick: number;
  octets: number[];
  /** It is dropped, or forgotten where it was dropped. */
  dueMs: number;
  isDropped: boolean;
}

/** The rules, plainly: what each step has to answer. */
class Model {
  readonly #forms = new Map<string, ModelForm>();
  #nowMs = 0;
  #ticks = 0;

  apply(taken: Step): unknown {
    if (taken.kind === 'wait') return this.#wait(taken.ms);
    if (taken.kind === 'disconnect') {
      for (const key of [...this.#forms.keys()]) if (key.startsWith(`${taken.connection}`)) this.#forms.delete(key);
      return undefined;
    }
    const key = `${taken.connection} ${taken.id}`;
    if (taken.kind === 'take') return this.#take(key, taken.data, taken.isLast);
    this.#forms.delete(key);
    return taken.kind === 'begin' ? this.#begin(key, taken.address) : undefined;
  }

  #begin(key: string, address: string): boolean {
    const all = [...this.#forms.values()];
    const own = all.filter((form) => form.address === address);
    const dropped = (forms: readonly ModelForm[]) => forms.filter(({ isDropped }) => isDropped).length;
    if (dropped(all) >= limits.droppedForms || dropped(own) >= limits.droppedFormsOfGroup) return false;
    if (own.length - dropped(own) >= limits.formsOfGroup) this.#makeWay(own);
    else if (all.length - dropped(all) >= limits.forms) {
      const open = all.filter(({ isDropped }) => !isDropped);
      const sizeOf = (of: string) => open.filter((form) => form.address === of).length + (of === address ? 1 : 0);
      const most = Math.max(...open.map((form) => sizeOf(form.address)));
      this.#makeWay(open.filter((form) => sizeOf(form.address) === most));
    }
    const lastTick = this.#tick();
    this.#forms.set(key, { address, lastTick, octets: [], dueMs: this.#nowMs + limits.deadlineMs, isDropped: false });
    return true;
  }

  #makeWay(forms: readonly ModelForm[]): void {
    const [first] = forms.filter(({ isDropped }) => !isDropped).toSorted((a, b) => a.lastTick - b.lastTick);
    if (first === undefined) throw new Error('nobody can make way');
    Object.assign(first, { isDropped: true, dueMs: this.#nowMs + limits.refusedMs });
  }

  #take(key: string, piece: Uint8Array, isLast: boolean): unknown {
    const form = this.#forms.get(key);
    if (form === undefined) return ['not_awaited', null];
    if (!form.isDropped && form.octets.length + piece.length <= formOctets) {
      if (form.octets.length === 0 && piece.length > 0 && !this.#makeRoomForOctets(form)) {
        this.#forms.delete(key);
        return ['overloaded', null];
      }
      form.octets.push(...piece);
      if (piece.length > 0) form.lastTick = this.#tick();
      if (!isLast) return ['more', null];
      this.#forms.delete(key);
      return ['complete', form.octets];
    }
    this.#forms.delete(key);
    return [form.isDropped ? 'dropped' : 'too_large', null];
  }

  /** A form takes room for all its octets with the first of them. */
  #makeRoomForOctets({ address }: ModelForm): boolean {
    const holding = [...this.#forms.values()].filter((form) => !form.isDropped && form.octets.length > 0);
    const room = formOctets;
    if ((holding.filter((form) => form.address === address).length + 1) * room > limits.octetsOfGroup) return false;
    if ((holding.length + 1) * room > limits.totalOctets) this.#makeWay(holding);
    return true;
  }

  /** Tells apart what happens in one millisecond. */
  #tick(): number {
    this.#ticks += 1;
    return this.#ticks;
  }

  #wait(ms: number): undefined {
    this.#nowMs += ms;
    for (const [key, form] of this.#forms) {
      if (!form.isDropped && form.dueMs <= this.#nowMs) {
        form.isDropped = true;
        form.dueMs += limits.refusedMs;
      }
      if (form.isDropped && form.dueMs <= this.#nowMs) this.#forms.delete(key);
    }
    return undefined;
  }
}

const requestOf = (correlationId: string, clientIp: string) => {
  const event = headersEvent(correlationId);
  return {
    event: { ...event, metadata: { ...event.metadata, clientIp } },
    path: event.uri,
    formOctets,
    requested: null,
  };
};

const run = async (forms: PostedForms, scheduler: ManualScheduler, taken: Step): Promise<unknown> => {
  if (taken.kind === 'wait') return scheduler.advance(taken.ms);
  const from = connections[taken.connection] as symbol;
  if (taken.kind === 'disconnect') return forms.disconnected(from);
  if (taken.kind === 'cancel') return forms.cancel(taken.id, from);
  if (taken.kind === 'begin') return forms.begin(requestOf(taken.id, taken.address), from);
  const progress = forms.take(chunkEvent(taken.id, { data: taken.data, isLast: taken.isLast }), from);
  return [progress.kind, progress.kind === 'complete' ? [...progress.form] : null];
};

describe('the pending forms', () => {
  it('match a reference model after any sequence of steps on any connections', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const scheduler = new ManualScheduler(new ManualClock());
        const forms = new PostedForms(scheduler, limits);
        const model = new Model();
        for (const taken of steps) expect(await run(forms, scheduler, taken)).toEqual(model.apply(taken));
        for (const from of connections) forms.disconnected(from);
        expect(scheduler.waiting).toBe(0);
        for (let count = 0; count < limits.forms; count += 1) {
          expect(forms.begin(requestOf(`end-${count}`, `192.0.2.${count}`), connections[0])).toBe(true);
        }
        // None has been left behind that would have to make way.
        for (let count = 0; count < limits.forms; count += 1) {
          const chunk = chunkEvent(`end-${count}`, { data: new Uint8Array(1), isLast: true });
          expect(forms.take(chunk, connections[0]).kind).toBe('complete');
        }
      }),
      { numRuns: 300 },
    );
  });
});
