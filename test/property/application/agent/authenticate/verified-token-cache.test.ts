import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckOutcome } from '../../../../../src/application/agent/authenticate/authentication-check.js';
import {
  type PreparedIdentity,
  preparedIdentity,
} from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import {
  type VerifiedToken,
  VerifiedTokenCache,
} from '../../../../../src/application/agent/authenticate/verified-token-cache.js';
import type { BearerCredential } from '../../../../../src/domain/agent/identity/authorization-credential.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const maximumEntries = 3;
const maximumSize = 12;
/** Of different sizes, up to one that never fits. */
const tokens = ['a', 'bb', 'ccc', 'dddd', 'eeeee', 'ffffff', 'g'.repeat(13)];

/** The same promises, kept in the plainest way: a list that is searched, and counted anew each time. */
class NaiveMemory {
  readonly #clock: ManualClock;
  #kept: { readonly token: string; readonly verified: VerifiedToken }[] = [];

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  recall(token: string): CheckOutcome | null {
    const found = this.#kept.find((each) => each.token === token);
    if (found === undefined) return null;
    const { prepared, window, key } = found.verified;
    const now = this.#clock.wallMs();
    this.#kept = this.#kept.filter((each) => each !== found);
    if (key?.isWithdrawn === true) return null;
    if (now >= window.untilMs) return null;
    this.#kept.push(found);
    return now < window.fromMs ? null : { kind: 'authenticated', prepared };
  }

  remember(token: string, verified: VerifiedToken): void {
    if (token.length > maximumSize) return;
    this.#kept = [...this.#kept.filter((each) => each.token !== token), { token, verified }];
    while (
      this.#kept.length > maximumEntries ||
      this.#kept.reduce((sum, each) => sum + each.token.length, 0) > maximumSize
    ) {
      this.#kept.shift();
    }
  }
}

const preparedFor = (userId: string): PreparedIdentity =>
  preparedIdentity({ method: 'oidc', userId, claims: null, certificate: null }, []);

/** The token as a request shows it: read from its field, or found by it where that can be. */
const shown = (token: string, isRead: boolean, memory: VerifiedTokenCache): BearerCredential => {
  const read: BearerCredential = { scheme: 'bearer', token };
  const known = memory.credential(`Bearer ${token}`);
  if (known !== null) expect(known).toMatchObject(read);
  return isRead ? read : (known ?? read);
};

const keyCount = 3;
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('recall' as const),
      token: fc.constantFrom(...tokens),
      isRead: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('remember' as const),
      token: fc.constantFrom(...tokens),
      fromMs: fc.integer({ min: -5, max: 2 }),
      lastsMs: fc.integer({ min: 1, max: 40 }),
      key: fc.option(fc.nat({ max: keyCount - 1 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('advance' as const), ms: fc.integer({ min: -10, max: 20 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('withdraw' as const), key: fc.nat({ max: keyCount - 1 }) }),
  },
);

describe('VerifiedTokenCache', () => {
  it('matches a linear search for any order of events and any clock changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = new ManualClock();
        const memory = new VerifiedTokenCache(clock, { maximumEntries, maximumSize });
        const naive = new NaiveMemory(clock);
        const keys = Array.from({ length: keyCount }, () => ({ isWithdrawn: false }));
        for (const [index, each] of steps.entries()) {
          if (each.act === 'advance') clock.advance(each.ms);
          else if (each.act === 'withdraw') {
            for (const withdrawn of keys.splice(each.key, 1, { isWithdrawn: false })) withdrawn.isWithdrawn = true;
          } else if (each.act === 'recall')
            expect(memory.recall(shown(each.token, each.isRead, memory))?.outcome ?? null).toEqual(
              naive.recall(each.token),
            );
          else {
            const fromMs = clock.wallMs() + each.fromMs;
            const verified: VerifiedToken = {
              prepared: preparedFor(`user-${index}`),
              window: { fromMs, untilMs: fromMs + each.lastsMs },
              key: each.key === null ? null : (keys[each.key] ?? null),
              binding: { certificate: null, proofKey: null },
            };
            memory.remember(each.token, verified);
            naive.remember(each.token, verified);
          }
        }
        for (const token of tokens) {
          expect(memory.recall(shown(token, true, memory))?.outcome ?? null).toEqual(naive.recall(token));
        }
      }),
      { numRuns: 500 },
    );
  });
});
