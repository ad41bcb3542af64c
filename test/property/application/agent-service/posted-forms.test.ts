import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FormLimits, PostedForms } from '../../../../src/application/agent-service/posted-forms.js';
import { chunkEvent, headersEvent } from '../../../support/agent-events.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { ManualScheduler } from '../../../support/manual-scheduler.js';

const connections = [Symbol('one'), Symbol('two')] as const;
const limits: FormLimits = {
  formOctets: 20,
  totalOctets: 10_000,
  forms: 3,
  droppedForms: 2,
  deadlineMs: 100,
  refusedMs: 150,
};

type Step =
  | { readonly kind: 'begin' | 'cancel'; readonly id: string; readonly connection: number }
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
const connection = fc.constantFrom(0, 1);
const data = fc.uint8Array({ maxLength: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const), id, connection }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('take' as const), id, connection, data, isLast: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), id, connection }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('disconnect' as const), connection }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 70 }) }) },
);

interface ModelForm {
  octets: number[];
  dueMs: number;
  isDropped: boolean;
}

/** The rules, plainly: what each step has to answer. */
class Model {
  readonly #forms = new Map<string, ModelForm>();
  #nowMs = 0;

  apply(taken: Step): unknown {
    if (taken.kind === 'wait') return this.#wait(taken.ms);
    if (taken.kind === 'disconnect') {
      for (const key of [...this.#forms.keys()]) if (key.startsWith(`${taken.connection}`)) this.#forms.delete(key);
      return undefined;
    }
    const key = `${taken.connection} ${taken.id}`;
    if (taken.kind === 'take') return this.#take(key, taken.data, taken.isLast);
    this.#forms.delete(key);
    return taken.kind === 'begin' ? this.#begin(key) : undefined;
  }

  #begin(key: string): boolean {
    const forms = [...this.#forms.values()];
    const dropped = forms.filter(({ isDropped }) => isDropped).length;
    if (forms.length - dropped >= limits.forms || dropped >= limits.droppedForms) return false;
    this.#forms.set(key, { octets: [], dueMs: this.#nowMs + limits.deadlineMs, isDropped: false });
    return true;
  }

  #take(key: string, piece: Uint8Array, isLast: boolean): unknown {
    const form = this.#forms.get(key);
    if (form === undefined) return ['not_awaited', null];
    if (!form.isDropped && form.octets.length + piece.length <= limits.formOctets) {
      form.octets.push(...piece);
      if (!isLast) return ['more', null];
      this.#forms.delete(key);
      return ['complete', form.octets];
    }
    this.#forms.delete(key);
    return [form.isDropped ? 'dropped' : 'too_large', null];
  }

  #wait(ms: number): undefined {
    this.#nowMs += ms;
    for (const [key, form] of this.#forms) {
      if (form.dueMs <= this.#nowMs) form.isDropped = true;
      if (form.dueMs + limits.refusedMs <= this.#nowMs) this.#forms.delete(key);
    }
    return undefined;
  }
}

const run = async (forms: PostedForms, scheduler: ManualScheduler, taken: Step): Promise<unknown> => {
  if (taken.kind === 'wait') return scheduler.advance(taken.ms);
  const from = connections[taken.connection] as symbol;
  if (taken.kind === 'disconnect') return forms.disconnected(from);
  if (taken.kind === 'cancel') return forms.cancel(taken.id, from);
  if (taken.kind !== 'take') return forms.begin(headersEvent(taken.id), from);
  const progress = forms.take(chunkEvent(taken.id, { data: taken.data, isLast: taken.isLast }), from);
  return [progress.kind, progress.kind === 'complete' ? [...progress.form] : null];
};

describe('forms under way', () => {
  it('are what the rules say after any steps, of any connections, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const scheduler = new ManualScheduler(new ManualClock());
        const forms = new PostedForms(scheduler, limits);
        const model = new Model();
        for (const taken of steps) expect(await run(forms, scheduler, taken)).toEqual(model.apply(taken));
        for (const from of connections) forms.disconnected(from);
        expect(scheduler.waiting).toBe(0);
        for (let count = 0; count < limits.forms; count += 1) {
          expect(forms.begin(headersEvent(`end-${count}`), connections[0])).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
