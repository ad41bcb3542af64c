import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { type OidcBrowser, oidcPlace, sessionCookie } from '../../../../../support/agent/oidc-agent.js';
import { requestEvent } from '../../../../../support/agent/test-agent.js';
import { it } from '../../../../../support/shared/fixtures.js';

/** A step of one of two browsers. `of`: whose state, code or place in the list is used. */
type Step =
  | { readonly kind: 'begin'; readonly who: 0 | 1 }
  | { readonly kind: 'authorize'; readonly who: 0 | 1; readonly place: number }
  /** Shows a state and a code that either browser has seen. */
  | {
      readonly kind: 'callback';
      readonly who: 0 | 1;
      readonly stateOf: 0 | 1;
      readonly codeOf: 0 | 1;
      readonly state: number;
      readonly code: number;
    }
  | { readonly kind: 'logout'; readonly who: 0 | 1 };

const who = fc.constantFrom(0 as const, 1 as const);
const place = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('begin' as const), who }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('authorize' as const), who, place }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('callback' as const),
      who,
      stateOf: who,
      codeOf: who,
      state: place,
      code: place,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('logout' as const), who }) },
);

const users = ['ann', 'bob'] as const;

const at = <Value>(values: readonly Value[], index: number): Value | undefined => values[index % values.length];

describe('sign-on steps of two browsers', () => {
  it('never give one of them the session of the other', async ({ cleanUp }) => {
    const { agent, provider, newBrowser } = await oidcPlace(cleanUp);
    const connection = Symbol('connection');
    /** The user of the session in a browser; null: none. */
    const userOf = async (browser: OidcBrowser): Promise<string | null> => {
      const cookie = `${sessionCookie}=${browser.cookies.get(sessionCookie) ?? ''}`;
      const { decision, requestHeaders } = await agent.decide(
        requestEvent(['cookie', cookie, 'x-requested-with', 'test'], 'who'),
        connection,
      );
      if (decision.kind !== 'allow') return null;
      const found = requestHeaders.find(({ name }) => name === 'X-User-Id');
      return found?.kind === 'set' ? found.value : null;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const browsers = [newBrowser(), newBrowser()];
        const locations: string[][] = [[], []];
        const codes: string[][] = [[], []];
        for (const each of steps) {
          const browser = browsers[each.who] as OidcBrowser;
          if (each.kind === 'begin') {
            const { location } = await browser.get('/oidc/login?return_to=/x');
            locations[each.who]?.push(location ?? '');
          } else if (each.kind === 'authorize') {
            const location = at(locations[each.who] ?? [], each.place);
            // The provider authenticates the user of the browser that asks.
            if (location !== undefined) codes[each.who]?.push(provider.authorize(location).code);
          } else if (each.kind === 'callback') {
            const location = at(locations[each.stateOf] ?? [], each.state);
            const code = at(codes[each.codeOf] ?? [], each.code);
            if (location === undefined || code === undefined) continue;
            provider.user = { sub: users[each.codeOf] };
            const state = new URL(location).searchParams.get('state') ?? '';
            await browser.callback({ state, code });
          } else {
            await browser.get('/oidc/logout');
          }
          for (const [index, one] of browsers.entries()) {
            expect([null, users[index]]).toContain(await userOf(one));
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
