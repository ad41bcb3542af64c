import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasScopes } from '../../../../../src/domain/agent/tokens/claims.js';
import type { JsonValue } from '../../../../../src/domain/shared/json.js';

const scope = fc.constantFrom('read', 'write', 'admin', 'read.all', 'READ');
const scopes = fc.uniqueArray(scope);

describe('hasScopes', () => {
  it('holds exactly where the token has every scope that is required, in whichever form', () => {
    fc.assert(
      fc.property(scopes, scopes, fc.constantFrom('scope', 'scp'), fc.boolean(), (held, required, claim, isList) => {
        const claims = { [claim]: isList ? held : held.join(' ') };
        expect(hasScopes(claims, required)).toBe(required.every((name) => held.includes(name)));
      }),
    );
  });

  it('never fails, and never holds for more than stands in the claims', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        if (hasScopes({ scope: value as JsonValue }, ['read'])) expect(text).toContain('read');
      }),
    );
  });
});
