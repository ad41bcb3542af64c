import { describe, expect, it } from 'vitest';
import type { RevocationList } from '../../../../../src/domain/agent/client-certificates/revocation-list.js';
import {
  checkRevocation,
  prepareRevocations,
  type VerifiedList,
} from '../../../../../src/domain/agent/client-certificates/revocations.js';
import { madeAuthority, madeCertificate, named } from '../../../../support/shared/made-certificate.js';

const list = (serials: readonly string[], says: Partial<RevocationList> = {}): RevocationList => ({
  issuer: named('authority'),
  thisUpdateMs: 100,
  nextUpdateMs: 200,
  serials: new Set(serials),
  signed: { algorithm: '', parameters: null, octets: new Uint8Array(), signature: new Uint8Array() },
  ...says,
});
const chain = [madeCertificate({ serialNumber: '05' }), madeAuthority('authority', { serialNumber: '06' })];
const checked = (lists: readonly VerifiedList[], nowMs = 150) => {
  const found = checkRevocation(chain, prepareRevocations(lists), nowMs);
  return found.ok ? found.value : found.error;
};

describe('a chain of certificates', () => {
  it('is valid while the lists are current, and without lists', () => {
    expect(checked([{ list: list(['07']), signer: 'a' }])).toEqual({ fromMs: 100, toMs: 200 });
    expect(checked([{ list: list(['05'], { issuer: named('other') }), signer: 'o' }])).toEqual({
      fromMs: Number.NEGATIVE_INFINITY,
      toMs: Number.POSITIVE_INFINITY,
    });
  });

  it('is revoked with any of its certificates', () => {
    expect(checked([{ list: list(['05']), signer: 'a' }])).toBe('certificate_revoked');
    expect(checked([{ list: list(['06']), signer: 'a' }])).toBe('certificate_revoked');
  });

  it('is refused while a list is outdated or not yet valid', () => {
    expect(checked([{ list: list([]), signer: 'a' }], 201)).toBe('certificate_revocation_unknown');
    expect(checked([{ list: list([]), signer: 'a' }], 99)).toBe('certificate_revocation_unknown');
    expect(checked([{ list: list(['06']), signer: 'a' }], 201)).toBe('certificate_revoked');
  });

  it('is checked by the newest list of a key, and by those of all keys', () => {
    const older = { list: list(['05']), signer: 'a' };
    const newer = { list: list([], { thisUpdateMs: 120, nextUpdateMs: 300 }), signer: 'a' };
    expect(checked([older, newer])).toEqual({ fromMs: 120, toMs: 300 });
    expect(checked([newer, older], 250)).toEqual({ fromMs: 120, toMs: 300 });
    expect(checked([{ ...older, signer: 'renewed' }, newer])).toBe('certificate_revoked');
  });
});
