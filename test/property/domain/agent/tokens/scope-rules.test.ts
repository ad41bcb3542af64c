import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasScopes } from '../../../../../src/domain/agent/tokens/claims.js';
import type { JsonValue } from '../../../../../src/domain/shared/json.js';

const scope = fc.constantFrom('read', 'write', 'admin', 'read.all', 'READ');
const scopes = fc.uniqueArray(scope);

describe('hasScopes', () => {
  it('is true if and only if the token has every required scope, in either form', () => {
    fc.assert(
      fc.property(scopes, scopes, fc.constantFrom('scope', 'scp'), fc.boolean(), (held, required, claim, isList) => {
        const claims = { [claim]: isList ? held : held.join(' ') };
        expect(hasScopes(claims, required)).toBe(required.every((name) => held.includes(name)));
      }),
    );
  });

  it('never fails, and never finds a scope that the claims do not contain', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        if (hasScopes({ scope: value as JsonValue }, ['read'])) expect(text).toContain('read');
      }),
    );
  });
});
