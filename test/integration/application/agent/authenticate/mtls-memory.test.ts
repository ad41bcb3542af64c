import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { X509CertificateReader } from '../../../../../src/adapters/outbound/x509-certificates/x509-certificate-reader.js';
import type { MtlsCheck, MtlsCheckOptions } from '../../../../../src/application/agent/authenticate/mtls-check.js';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import type { CertificateReader } from '../../../../../src/application/ports/shared/certificate-reader.js';
import {
  authoritiesOf,
  checkCertificates,
  checkHeader,
  inShort,
  mtlsCheck,
} from '../../../../support/agent/mtls-checks.js';
import { byteSequence } from '../../../../support/shared/certificate-headers.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const hour = 3_600_000;
const startMs = Date.UTC(2030, 0, 1);

/** Counts what it reads. */
class CountingReader implements CertificateReader {
  readonly #reader = new X509CertificateReader();
  count = 0;

  read(der: Uint8Array): ReturnType<CertificateReader['read']> {
    this.count += 1;
    return this.#reader.read(der);
  }

  readPem(text: string): ReturnType<CertificateReader['readPem']> {
    return this.#reader.readPem(text);
  }
}

let pki: OpensslCertificates;
let root: OpensslCertificate;
let other: OpensslCertificate;
/** Valid from an hour before the start to three hours after it. */
let alice: OpensslCertificate;
let bob: OpensslCertificate;
let stranger: OpensslCertificate;

const around: readonly [number, number] = [startMs - hour, startMs + 3 * hour];

beforeAll(() => {
  const validity = [startMs - 100 * hour, startMs + 100 * hour] as const;
  pki = new OpensslCertificates();
  root = pki.authority('root', { validity });
  other = pki.authority('other', { validity });
  alice = pki.client('alice', { by: root, validity: around });
  bob = pki.client('bob', { by: root, validity: around });
  stranger = pki.client('stranger', { by: other, validity: around });
});
afterAll(() => pki.remove());

/** Of some two thousand characters. */
const longSubject = (name: string): string =>
  `${Array.from({ length: 30 }, (_, index) => `/OU=${'x'.repeat(60)}${index}`).join('')}/CN=${name}`;

interface Counted {
  readonly clock: ManualClock;
  readonly reader: CountingReader;
  readonly check: MtlsCheck;
}

const counted = (parts: Partial<MtlsCheckOptions> = {}): Counted => {
  const clock = new ManualClock(startMs);
  const reader = new CountingReader();
  return { clock, reader, check: mtlsCheck({ authorities: authoritiesOf(root), reader, clock, ...parts }) };
};

describe('an accepted certificate', () => {
  it('is cached with its prepared identity', () => {
    let prepared = 0;
    const { check, reader } = counted({
      prepare: (identity) => {
        prepared += 1;
        return preparedIdentity(identity, []);
      },
    });
    const first = checkCertificates(check, alice);
    for (let times = 0; times < 10; times += 1) expect(checkCertificates(check, alice)).toBe(first);
    expect(inShort(first)).toBe('user alice');
    expect([reader.count, prepared]).toEqual([1, 1]);
  });

  it('is refused once it expires, cached or not', () => {
    const { check, clock } = counted();
    expect(inShort(checkCertificates(check, alice))).toBe('user alice');
    clock.advance(3 * hour);
    expect(inShort(checkCertificates(check, alice))).toBe('user alice');
    clock.advance(1);
    expect(inShort(checkCertificates(check, alice))).toBe('certificate_expired');
  });

  it('is refused once an authority above it expires', () => {
    const brief = pki.authority('brief', { by: root, validity: [startMs - hour, startMs + hour] });
    const leaf = pki.client('carol', { by: brief, validity: around });
    const { check, clock } = counted();
    expect(inShort(checkCertificates(check, leaf, brief))).toBe('user carol');
    clock.advance(hour + 1);
    expect(inShort(checkCertificates(check, leaf, brief))).toBe('certificate_expired');
  });

  it('stays accepted by another chain when its chain expires', () => {
    const brief = pki.authority('issuing', { by: root, validity: [startMs - hour, startMs + hour] });
    const long = pki.authority('issuing', { by: root, keyOf: brief, validity: around });
    const leaf = pki.client('carol', { by: brief, validity: around });
    const { check, clock } = counted();
    expect(inShort(checkCertificates(check, leaf, brief, long))).toBe('user carol');
    clock.advance(hour + 1);
    expect(inShort(checkCertificates(check, leaf, brief, long))).toBe('user carol');
  });

  it('is refused before its start if the clock is set back', () => {
    const { check, clock } = counted();
    expect(inShort(checkCertificates(check, alice))).toBe('user alice');
    clock.advance(-hour - 1);
    expect(inShort(checkCertificates(check, alice))).toBe('certificate_not_yet_valid');
  });

  it('is not cached over a reload', () => {
    expect(inShort(checkCertificates(counted().check, alice))).toBe('user alice');
    const { check } = counted({ authorities: authoritiesOf(other) });
    expect(inShort(checkCertificates(check, alice))).toBe('certificate_untrusted');
  });

  it('is read again after eviction, least recently used first', () => {
    const { check, reader } = counted({ memorySize: 2 });
    const carol = pki.client('carol', { by: root, validity: around });
    checkCertificates(check, alice);
    checkCertificates(check, bob);
    checkCertificates(check, alice);
    checkCertificates(check, carol);
    expect(reader.count).toBe(3);
    expect(inShort(checkCertificates(check, alice))).toBe('user alice');
    expect(reader.count).toBe(3);
    expect(inShort(checkCertificates(check, bob))).toBe('user bob');
    expect(reader.count).toBe(4);
  });

  it('is read every time without a cache', () => {
    const { check, reader } = counted({ memorySize: 0 });
    for (let times = 0; times < 3; times += 1) {
      checkCertificates(check, alice);
      checkCertificates(check, stranger);
    }
    expect(reader.count).toBe(6);
  });

  it('is cached with its exact chain', () => {
    const { check } = counted();
    const [leaf, above] = [byteSequence(alice.der), byteSequence(root.der)];
    expect(inShort(checkHeader(check, leaf, above))).toBe('user alice');
    expect(inShort(checkHeader(check, `${leaf}${above}`, ''))).toBe('certificate_malformed');
    expect(inShort(checkHeader(check, `${leaf}${above}`))).toBe('certificate_malformed');
    expect(inShort(checkHeader(check, '', `${leaf}${above}`))).toBe('certificate_malformed');
  });

  it('is cached despite a long name', () => {
    const long = pki.client('dora', { by: root, validity: around, subject: longSubject('dora') });
    const { check, reader } = counted({ memorySize: 1 });
    expect(inShort(checkCertificates(check, long))).toBe('user dora');
    expect(inShort(checkCertificates(check, long))).toBe('user dora');
    expect(reader.count).toBe(1);
  });
});

describe('a refused certificate', () => {
  it('is cached for five seconds', () => {
    const { check, reader, clock } = counted();
    for (let times = 0; times < 10; times += 1) {
      expect(inShort(checkCertificates(check, stranger))).toBe('certificate_untrusted');
    }
    expect(reader.count).toBe(1);
    clock.advance(4_999);
    checkCertificates(check, stranger);
    expect(reader.count).toBe(1);
    clock.advance(1);
    expect(inShort(checkCertificates(check, stranger))).toBe('certificate_untrusted');
    expect(reader.count).toBe(2);
  });

  it('is accepted once it becomes valid', () => {
    const { check, clock } = counted();
    clock.advance(-hour - 1);
    expect(inShort(checkCertificates(check, alice))).toBe('certificate_not_yet_valid');
    clock.advance(1);
    expect(inShort(checkCertificates(check, alice))).toBe('user alice');
  });

  it('that is not yet valid is cached for at most five seconds', () => {
    const { check, reader, clock } = counted();
    clock.advance(-hour - 8_000);
    for (let times = 0; times < 10; times += 1) {
      expect(inShort(checkCertificates(check, alice))).toBe('certificate_not_yet_valid');
    }
    expect(reader.count).toBe(1);
    clock.advance(5_000);
    expect(inShort(checkCertificates(check, alice))).toBe('certificate_not_yet_valid');
    expect(reader.count).toBe(2);
    // Less than five seconds are left.
    clock.advance(2_999);
    expect(inShort(checkCertificates(check, alice))).toBe('certificate_not_yet_valid');
    expect(reader.count).toBe(2);
    clock.advance(1);
    expect(inShort(checkCertificates(check, alice))).toBe('user alice');
  });

  it('is accepted once an authority becomes valid, configured or sent', () => {
    const early = [startMs - hour, startMs + hour] as const;
    const later = [startMs + 2_000, startMs + hour] as const;
    const lateRoot = pki.authority('late root', { validity: later });
    const lateIssuing = pki.authority('late issuing', { by: root, validity: later });
    const carol = pki.client('carol', { by: lateRoot, validity: early });
    const dora = pki.client('dora', { by: lateIssuing, validity: early });
    for (const authorities of [authoritiesOf(root, lateRoot), authoritiesOf(lateRoot, root)]) {
      const { check, clock, reader } = counted({ authorities });
      const judged = (): readonly string[] => [
        inShort(checkCertificates(check, carol)),
        inShort(checkCertificates(check, dora, lateIssuing)),
      ];
      expect(judged()).toEqual(['certificate_not_yet_valid', 'certificate_not_yet_valid']);
      clock.advance(1_999);
      expect(judged()).toEqual(['certificate_not_yet_valid', 'certificate_not_yet_valid']);
      expect(reader.count).toBe(3);
      clock.advance(1);
      expect(judged()).toEqual(['user carol', 'user dora']);
    }
  });

  it('that is not yet valid is accepted if the clock is set forward', () => {
    const clock = new ManualClock(startMs - 2 * hour);
    const stepping = mtlsCheck({
      authorities: authoritiesOf(root),
      clock: { wallMs: () => clock.wallMs(), monotonicMs: () => 0, turnMs: () => 0 },
    });
    expect(inShort(checkCertificates(stepping, alice))).toBe('certificate_not_yet_valid');
    clock.advance(2 * hour);
    expect(inShort(checkCertificates(stepping, alice))).toBe('user alice');
  });

  it('never evicts an accepted one', () => {
    const { check, reader } = counted({ memorySize: 1 });
    checkCertificates(check, alice);
    for (let times = 0; times < 3_000; times += 1) {
      expect(inShort(checkHeader(check, `:${Buffer.from(`no ${times}`).toString('base64')}:`))).toBe(
        'certificate_malformed',
      );
    }
    const before = reader.count;
    expect(inShort(checkCertificates(check, alice))).toBe('user alice');
    expect(reader.count).toBe(before);
  });

  it('is evicted by a thousand others', () => {
    const { check, reader } = counted();
    const header = (number: number): string => byteSequence(Buffer.from(`no ${number}`));
    for (let number = 0; number <= 1_000; number += 1) checkHeader(check, header(number));
    expect(reader.count).toBe(1_001);
    checkHeader(check, header(1_000));
    checkHeader(check, header(1));
    expect(reader.count).toBe(1_001);
    checkHeader(check, header(0));
    expect(reader.count).toBe(1_002);
  });
});
