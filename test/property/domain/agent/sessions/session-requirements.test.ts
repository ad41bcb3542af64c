import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  authenticationDetails,
  sessionAuthentication,
  unmetRequirement,
} from '../../../../../src/domain/agent/sessions/session-authentication.js';
import {
  combineRequirements,
  compileRequirements,
  requirementOf,
  type SessionRequirement,
} from '../../../../../src/domain/agent/sessions/session-requirements.js';
import { requestPath } from '../../../../../src/domain/http/path-normalisation.js';

const nowMs = 1_800_000_000_000;
const name = fc.constantFrom('corp', 'saml', 'other');
const acr = fc.constantFrom('pwd', 'otp', 'mfa');
const requirement = fc.record({
  provider: fc.option(name),
  acrValues: fc.uniqueArray(acr, { maxLength: 3 }),
  maxAgeSecs: fc.option(fc.integer({ min: 1, max: 600 })),
});
const session = fc
  .record({
    providerName: fc.option(name),
    acr: fc.option(acr),
    authenticatedMs: fc.option(fc.integer({ min: -700_000, max: 100_000 }).map((ms) => nowMs + ms)),
    clockSkewMs: fc.constantFrom(0, 30_000),
  })
  .map((stated) => ({ stated, details: authenticationDetails({ ...stated, nowMs }, null) }));
const moment = fc.record({
  nowMs: fc.integer({ min: 0, max: 700_000 }).map((ms) => nowMs + ms),
  clockSkewMs: fc.constantFrom(0, 30_000),
});

const segment = fc.constantFrom('admin', 'Admin', 'a', 'b', 'B');
const prefix = fc
  .tuple(fc.array(segment, { maxLength: 3 }), fc.boolean())
  .map(([segments, slash]) => `/${segments.join('/')}${slash && segments.length > 0 ? '/' : ''}`);
const rules = fc.uniqueArray(fc.tuple(prefix, requirement), {
  maxLength: 5,
  selector: ([path]) => path.toLowerCase().replace(/(.)\/$/, '$1'),
});

/** Names of a path in lower case. */
const namesOf = (path: string): readonly string[] =>
  path
    .toLowerCase()
    .split('/')
    .filter((each) => each !== '');

/** A spelling of a path that some server reads as the same path. */
const spelled = (path: string, noise: readonly number[]): string => {
  let at = 0;
  const next = (): number => noise[at++ % noise.length] ?? 0;
  const letter = (each: string): string => {
    const code = each.charCodeAt(0).toString(16);
    return [each, each.toUpperCase(), `%${code}`, `%${code.toUpperCase()}`][next() % 4] ?? each;
  };
  const segments = namesOf(path).map(
    (each) => [...each].map(letter).join('') + (['', '', ';p=1', '%3bp'][next() % 4] ?? ''),
  );
  const before = () => ['/', '//', '/./', '/%2e/', '/x/../', '/x/%2E%2e/'][next() % 6] ?? '/';
  return segments.map((each) => before() + each).join('') + (['', '/', '?x=/', '//'][next() % 4] ?? '');
};

describe('a combined requirement', () => {
  it('is met by exactly the sessions that meet both', () => {
    fc.assert(
      fc.property(requirement, requirement, session, moment, (one, other, { details }, at) => {
        const authentication = sessionAuthentication({ details });
        const meets = (each: SessionRequirement) => unmetRequirement(authentication, each, at) === null;
        const both = combineRequirements(one, other);
        expect(both !== 'impossible' && meets(both)).toBe(meets(one) && meets(other));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a session that meets a requirement', () => {
  it('was opened with exactly what it asks', () => {
    fc.assert(
      fc.property(requirement, session, moment, ({ provider, acrValues, maxAgeSecs }, { stated, details }, at) => {
        const asked = { provider, acrValues, maxAgeSecs };
        if (unmetRequirement(sessionAuthentication({ details }), asked, at) !== null) return;
        if (provider !== null) expect(stated.providerName).toBe(provider);
        if (acrValues.length > 0) expect(acrValues).toContain(stated.acr);
        if (maxAgeSecs === null) return;
        expect(stated.authenticatedMs).not.toBeNull();
        expect(at.nowMs - (stated.authenticatedMs as number)).toBeLessThanOrEqual(maxAgeSecs * 1000 + at.clockSkewMs);
      }),
      { numRuns: 3000 },
    );
  });

  it('no longer meets it later, once it is too old', () => {
    fc.assert(
      fc.property(requirement, session, moment, fc.nat(10_000_000), (asked, { details }, at, laterMs) => {
        const authentication = sessionAuthentication({ details });
        if (unmetRequirement(authentication, asked, at) !== 'authentication_too_old') return;
        if (authentication.authenticatedMs !== null && authentication.authenticatedMs > at.nowMs) return;
        expect(unmetRequirement(authentication, asked, { ...at, nowMs: at.nowMs + laterMs })).not.toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the requirement of a path', () => {
  it('is that of the longest prefix, as a naive reading of the blocks finds it', () => {
    fc.assert(
      fc.property(rules, prefix, (blocks, path) => {
        const compiled = compileRequirements(blocks.map(([each, asked]) => ({ path: each, ...asked })));
        const names = namesOf(path);
        const fitting = blocks.filter(([each]) => namesOf(each).every((one, index) => names[index] === one));
        const longest = fitting.toSorted(([one], [other]) => namesOf(other).length - namesOf(one).length)[0];
        expect(requirementOf(compiled, requestPath(path))).toEqual(longest === undefined ? null : longest[1]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is never evaded by another spelling: what opens that spelling also opens the path', () => {
    fc.assert(
      fc.property(
        rules,
        prefix,
        fc.array(fc.nat(100), { minLength: 1, maxLength: 30 }),
        session,
        moment,
        (blocks, path, noise, { details }, at) => {
          const compiled = compileRequirements(blocks.map(([each, asked]) => ({ path: each, ...asked })));
          const opens = (uri: string): boolean => {
            const asked = requirementOf(compiled, requestPath(uri));
            if (asked === null) return true;
            return asked !== 'impossible' && unmetRequirement(sessionAuthentication({ details }), asked, at) === null;
          };
          const spelling = spelled(path, noise) || '/';
          if (opens(spelling)) expect(opens(path)).toBe(true);
        },
      ),
      { numRuns: 5000 },
    );
  });
});
