import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  checkProofClaims,
  hexOfHash,
  proofRejections,
  readProof,
} from '../../../../../src/domain/agent/tokens/dpop-proof.js';
import { requestEvent } from '../../../../support/agent/test-agent.js';

const tokenHash = '00'.repeat(32);
const ath = 'A'.repeat(43);
const nowMs = 1_800_000_000_000;
const request = requestEvent(['host', 'api.example']);
const valid = { htm: 'GET', htu: 'http://api.example/orders', iat: nowMs / 1000, ath, jti: '1' };
const rules = { request, origins: new Set<string>(), tokenHash, nowMs };

it('any fields are read or refused with a known reason', () => {
  const part = fc.json().map((text) => Buffer.from(text).toString('base64url'));
  const shaped = fc.tuple(part, part, part).map((parts) => parts.join('.'));
  fc.assert(
    fc.property(fc.array(fc.oneof(shaped, fc.string()), { maxLength: 3 }), (fields) => {
      const read = readProof(fields);
      if (!read.ok) expect(proofRejections).toContain(read.error);
    }),
  );
});

it('a claim with any other value is refused', () => {
  expect(checkProofClaims(valid, rules).ok).toBe(true);
  const other = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string()), fc.webUrl());
  const changed = fc.tuple(fc.constantFrom('htm', 'htu', 'ath'), other);
  fc.assert(
    fc.property(changed, ([name, value]) => {
      fc.pre(value !== valid[name as keyof typeof valid]);
      expect(checkProofClaims({ ...valid, [name]: value }, rules).ok).toBe(false);
    }),
  );
});

it('with configured origins, a proof for any other is refused, whatever Host the request has', () => {
  const host = fc.domain();
  fc.assert(
    fc.property(host, host, host, (own, asked, named) => {
      const origins = new Set([`https://${own}`]);
      const event = requestEvent(['host', asked, 'x-forwarded-host', asked, 'x-forwarded-proto', 'https']);
      const htu = `https://${named}/orders`;
      const accepted = checkProofClaims({ ...valid, htu }, { ...rules, request: event, origins }).ok;
      expect(accepted).toBe(named === own);
      expect(
        checkProofClaims({ ...valid, htu: `https://${own}/orders` }, { ...rules, request: event, origins }).ok,
      ).toBe(true);
    }),
  );
});

it('a proof is accepted within 60 s only', () => {
  fc.assert(
    fc.property(fc.integer({ min: -200, max: 200 }), (seconds) => {
      const accepted = checkProofClaims({ ...valid, iat: nowMs / 1000 + seconds }, rules).ok;
      expect(accepted).toBe(Math.abs(seconds) <= 60);
    }),
  );
});

it('a hash has one spelling', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (octets) => {
      const text = Buffer.from(octets).toString('base64url');
      expect(hexOfHash(text)).toBe(Buffer.from(octets).toString('hex'));
      expect(hexOfHash(`${text}=`)).toBeNull();
    }),
  );
});
