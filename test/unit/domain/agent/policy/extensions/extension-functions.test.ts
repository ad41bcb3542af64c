import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../../../src/domain/agent/policy/evaluate/evaluation-error.js';
import {
  type ExtensionFunction,
  extensionFunction,
} from '../../../../../../src/domain/agent/policy/extensions/extension-functions.js';
import { extensionSignatures } from '../../../../../../src/domain/agent/policy/extensions/extension-signatures.js';
import { entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';
import { emptyRecord } from '../../../../../../src/domain/agent/policy/values/record-value.js';
import { emptySet } from '../../../../../../src/domain/agent/policy/values/set-value.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';

const named = (name: string): ExtensionFunction => {
  const found = extensionFunction(name);
  if (found === undefined) throw new Error(`there is no function ${name}`);
  return found;
};
const call = (name: string, ...args: Value[]): Outcome => named(name)(args);
const value = (name: string, text: string): Value => call(name, text) as Value;

const secret = 'hunter2';
const samples: readonly Value[] = [
  secret,
  true,
  77_777,
  entityUid('User', secret),
  emptySet,
  emptyRecord,
  value('decimal', '77.77'),
  value('ip', '77.77.77.77'),
  value('datetime', '2077-07-07'),
  value('duration', '77d'),
];

describe('extensionFunction', () => {
  it('has exactly the functions with a signature', () => {
    for (const name of extensionSignatures.keys()) expect(extensionFunction(name), name).toBeTypeOf('function');
    for (const name of ['contains', 'toString', 'constructor', '__proto__', '', 'IP']) {
      expect(extensionFunction(name), name).toBeUndefined();
    }
  });

  it('accepts the number of arguments of the signature', () => {
    for (const [name, { style, parameters }] of extensionSignatures) {
      const expected = style === 'method' ? parameters + 1 : parameters;
      for (const count of [0, 1, 2, 3]) {
        if (count === expected) continue;
        const outcome = named(name)(samples.slice(0, count));
        expect(outcome, `${name} ${count}`).toMatchObject({ kind: 'error', code: 'type_error' });
      }
    }
  });

  it('fails with an error that never contains a value', () => {
    let failures = 0;
    for (const [name, { style, parameters }] of extensionSignatures) {
      for (const first of samples) {
        for (const second of style === 'method' && parameters === 1 ? samples : [undefined]) {
          const outcome = named(name)(second === undefined ? [first] : [first, second]);
          if (typeof outcome !== 'object' || outcome.kind !== 'error') continue;
          failures += 1;
          if (/hunter2|77/.test(outcome.message)) expect.fail(`${name}: ${outcome.message}`);
        }
      }
    }
    expect(failures).toBeGreaterThan(100);
  });

  it('names the types if they are wrong', () => {
    expect(call('ip', 1)).toEqual({
      kind: 'error',
      code: 'type_error',
      message: 'ip needs a value of type string, not long',
      span: null,
    });
    expect(call('isInRange', value('ip', '::1'), '::/0')).toMatchObject({
      message: 'isInRange needs a value of type ipaddr, not string',
    });
    expect(call('offset', value('duration', '1d'), value('duration', '1d'))).toMatchObject({
      message: 'offset needs a value of type datetime, not duration',
    });
  });

  it('fails with an extension error for an invalid text and for a result beyond 64 bits', () => {
    const far = call('offset', value('datetime', '1970-01-01'), value('duration', '-9223372036854775808ms')) as Value;
    const outcomes = [
      call('decimal', '1'),
      call('ip', 'localhost'),
      call('datetime', 'today'),
      call('duration', 'a day'),
      call('offset', far, value('duration', '-1ms')),
      call('durationSince', value('datetime', '1970-01-01'), far),
      call('toDate', far),
    ];
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ kind: 'error', code: 'extension_error', span: null });
  });

  it('compares decimals and converts durations', () => {
    const [small, large] = [value('decimal', '-1.5'), value('decimal', '1.5')];
    expect(call('lessThan', small, large)).toBe(true);
    expect(call('lessThan', small, small)).toBe(false);
    expect(call('lessThanOrEqual', small, small)).toBe(true);
    expect(call('greaterThan', small, large)).toBe(false);
    expect(call('greaterThanOrEqual', large, large)).toBe(true);
    const duration = value('duration', '-1d2h3m4s5ms');
    const parts = ['toMilliseconds', 'toSeconds', 'toMinutes', 'toHours', 'toDays'].map((name) => call(name, duration));
    expect(parts).toEqual([-93_784_005, -93_784, -1563, -26, -1]);
  });
});
