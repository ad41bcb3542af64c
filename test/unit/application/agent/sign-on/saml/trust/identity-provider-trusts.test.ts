import { describe, expect, it } from 'vitest';
import { IdentityProviderTrusts } from '../../../../../../../src/application/agent/sign-on/saml/trust/identity-provider-trusts.js';
import type { IdentityProviderOptions } from '../../../../../../../src/domain/agent/configuration/saml-options.js';
import {
  FakeMetadataSource,
  FakeMetadataVerifier,
  formalCertificates,
} from '../../../../../../support/agent/fake-metadata.js';
import { ManualClock } from '../../../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../../../support/shared/recording-logger.js';

const entityId = 'https://id.example/metadata';
const metadata = (certificates: readonly string[] = ['AAAA'], attributes = '', id = entityId): string =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${id}" ${attributes}>` +
  '<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">' +
  certificates
    .map(
      (certificate) =>
        `<KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
    )
    .join('') +
  '<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://id.example/sso"/>' +
  '</IDPSSODescriptor></EntityDescriptor>';

const hour = 3_600_000;
const options: Extract<IdentityProviderOptions, { kind: 'metadata' }> = {
  kind: 'metadata',
  url: 'https://id.example/metadata?key=secret-of-the-url',
  entityId: null,
  certificateFile: null,
  refreshMs: hour,
};

const made = () => {
  const clock = new ManualClock(Date.parse('2026-03-01T12:00:00Z'));
  const scheduler = new ManualScheduler(clock);
  const source = new FakeMetadataSource();
  const verifier = new FakeMetadataVerifier();
  const logger = new RecordingLogger();
  const trusts = new IdentityProviderTrusts({
    source,
    verifier,
    keys: formalCertificates,
    clock,
    scheduler,
    random: { fraction: () => 0 },
    logger,
  });
  return { clock, scheduler, source, verifier, logger, trusts };
};

const loaded = async (text: string) => {
  const test = made();
  test.source.publish(text);
  const lease = test.trusts.acquire(options, []);
  await lease.trust.firstLoad();
  return { ...test, lease, trust: lease.trust };
};

describe('an identity provider that is configured', () => {
  it('is available from startup with the certificates of its file, without a fetch', async () => {
    const { trusts, source, scheduler } = made();
    const { trust, release } = trusts.acquire(
      {
        kind: 'configured',
        entityId,
        ssoUrl: 'https://id.example/sso',
        logoutUrl: 'https://id.example/slo',
        certificateFile: 'idp.pem',
      },
      [
        { der: 'AAAA', notAfterMs: 0 },
        { der: 'BBBB', notAfterMs: 0 },
      ],
    );
    await trust.firstLoad();
    expect(trust.state()).toBe('fresh');
    expect(trust.lastFailure()).toBeNull();
    expect(trust.current()).toEqual({
      entityId,
      ssoUrl: 'https://id.example/sso',
      logout: { location: 'https://id.example/slo', responseLocation: null },
      signingCertificates: ['AAAA', 'BBBB'],
      wantsSignedRequests: false,
    });
    release();
    expect(source.requests + scheduler.waiting).toBe(0);
  });
});

describe('an identity provider from metadata', () => {
  it('is absent until the metadata arrives', async () => {
    const { trusts, source } = made();
    source.publish(metadata());
    source.isHeld = true;
    const { trust } = trusts.acquire(options, []);
    await settled();
    expect([trust.state(), trust.current()]).toEqual(['absent', null]);
    let changes = 0;
    trust.onChange(() => {
      changes += 1;
    });
    source.letGo();
    await trust.firstLoad();
    expect(trust.state()).toBe('fresh');
    expect(trust.current()).toMatchObject({
      entityId,
      ssoUrl: 'https://id.example/sso',
      signingCertificates: ['AAAA'],
    });
    expect(changes).toBe(1);
  });

  it('has its metadata verified with the given certificates', async () => {
    const { trusts, source, verifier } = made();
    source.publish(metadata());
    const certificates = [{ der: 'SIGNER', notAfterMs: 0 }];
    await trusts.acquire(options, certificates).trust.firstLoad();
    expect(verifier.certificates).toEqual([['SIGNER']]);
  });

  it('is fetched repeatedly, and follows the published metadata', async () => {
    const { source, scheduler, trust, logger } = await loaded(metadata());
    source.publish(metadata(['AAAA', 'BBBB']));
    await scheduler.advance(hour - 1);
    expect(source.requests).toBe(1);
    await scheduler.advance(1);
    expect(source.requests).toBe(2);
    expect(trust.current()?.signingCertificates).toEqual(['AAAA', 'BBBB']);
    await scheduler.advance(3 * hour);
    expect(source.requests).toBe(5);
    const told = logger.lines.filter(({ message }) => message.endsWith('has changed'));
    expect(told.map(({ fields }) => fields['certificates'])).toEqual([1, 2]);
  });

  it('is retried soon after a failure, and then served', async () => {
    const { trusts, source, scheduler } = made();
    source.goDown();
    const { trust } = trusts.acquire(options, []);
    await trust.firstLoad();
    expect([trust.state(), trust.lastFailure()]).toEqual(['absent', 'unreachable: nobody listens']);
    source.publish(metadata());
    await scheduler.advance(5_000);
    expect([trust.state(), trust.lastFailure()]).toEqual(['fresh', null]);
  });

  it.each<[string, (test: ReturnType<typeof made>) => void, RegExp]>([
    ['is unreachable', ({ source }) => source.goDown(), /^unreachable: nobody listens$/],
    [
      'is not signed by whom it should be',
      ({ verifier }) => {
        verifier.refusal = 'wrong_signature';
      },
      /^refused: wrong_signature$/,
    ],
    ['is no XML', ({ source }) => source.publish('{"keys":[]}'), /^refused: document_not_well_formed$/],
    ['has a document type', ({ source }) => source.publish(`<!DOCTYPE x>${metadata()}`), /^refused: document_markup$/],
    ['is of nobody', ({ source }) => source.publish('<a/>'), /^unusable: the metadata is not SAML metadata/],
    [
      'has weak keys alone',
      ({ source }) => source.publish(metadata(['WEAK'])),
      /^unusable: .* has a key of 1024 bits$/,
    ],
    [
      'was over before it came',
      ({ source }) => source.publish(metadata(['BBBB'], 'validUntil="2020-01-01T00:00:00Z"')),
      /^unusable: the metadata was valid until/,
    ],
  ])('keeps its last state if the next document %s', async (_, spoil, failure) => {
    const test = await loaded(metadata());
    const { scheduler, trust, logger, source, verifier } = test;
    const before = trust.current();
    const states: string[] = [];
    trust.onChange(() => states.push(trust.state()));
    spoil(test);
    await scheduler.advance(hour);
    expect(trust.lastFailure()).toMatch(failure);
    expect(trust.current()).toEqual(before);
    expect(trust.state()).toBe('stale');
    await scheduler.advance(60_000);
    expect(states).toEqual(['stale']);
    source.publish(metadata());
    verifier.refusal = null;
    await scheduler.advance(hour);
    expect([trust.state(), trust.lastFailure()]).toEqual(['fresh', null]);
    expect(states).toEqual(['stale', 'fresh']);
    expect(logger.lines.map(({ level }) => level)).toContain('warn');
    expect(JSON.stringify(logger.lines)).not.toContain('secret-of-the-url');
  });

  it('is unknown after the last valid metadata expires', async () => {
    const { source, scheduler, trust } = await loaded(metadata(['AAAA'], 'validUntil="2026-03-01T15:00:00Z"'));
    const states: string[] = [];
    trust.onChange(() => states.push(trust.state()));
    source.goDown();
    await scheduler.advance(3 * hour - 1);
    expect([trust.current()?.entityId, trust.state()]).toEqual([entityId, 'stale']);
    await scheduler.advance(1);
    expect([trust.current(), trust.state()]).toEqual([null, 'absent']);
    await scheduler.advance(300_000);
    expect(states).toEqual(['stale', 'absent']);
    source.publish(metadata(['AAAA'], 'validUntil="2026-03-09T15:00:00Z"'));
    await scheduler.advance(300_000);
    expect(trust.state()).toBe('fresh');
    expect(states).toEqual(['stale', 'absent', 'fresh']);
  });

  it('is fetched before its metadata expires, and as often as the metadata demands', async () => {
    const { source, scheduler } = await loaded(metadata(['AAAA'], 'cacheDuration="PT10M"'));
    await scheduler.advance(hour);
    expect(source.requests).toBe(7);
    const short = await loaded(metadata(['AAAA'], 'validUntil="2026-03-01T12:30:00Z"'));
    await short.scheduler.advance(hour / 4);
    expect(short.source.requests).toBe(2);
  });

  it('is trusted by its usable certificates only, and logs the unusable ones', async () => {
    const { trust, logger, scheduler } = await loaded(metadata(['WEAK1', 'AAAA', 'OLD1']));
    expect(trust.current()?.signingCertificates).toEqual(['AAAA', 'OLD1']);
    await scheduler.advance(5 * hour);
    const warnings = logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message, fields }) => [message, fields['count']])).toEqual([
      ['certificates of the metadata are not used', 1],
      ['certificates of the metadata have expired; their keys are used', 1],
    ]);
  });

  describe('while it is unknown', () => {
    const absent = async () => {
      const test = made();
      test.source.goDown();
      const lease = test.trusts.acquire(options, []);
      await lease.trust.firstLoad();
      // The waits double up to their bound.
      await test.scheduler.advance(10 * 60_000);
      return { ...test, lease, trust: lease.trust };
    };

    it('is retried twice a minute', async () => {
      const { source, scheduler, trust } = await absent();
      const before = source.requests;
      await scheduler.advance(5 * 60_000);
      expect(source.requests - before).toBe(10);
      source.publish(metadata());
      await scheduler.advance(30_000);
      expect(trust.state()).toBe('fresh');
    });

    it('is retried for a sign-on, at most every five seconds', async () => {
      const { source, scheduler, trust } = await absent();
      const isTried = source.requests;
      // Up to the moment of an attempt, after which the next is half a minute away.
      while (source.requests === isTried) await scheduler.advance(1_000);
      const before = source.requests;
      trust.hurry();
      await scheduler.advance(4_000);
      trust.hurry();
      await settled();
      expect(source.requests - before).toBe(0);
      await scheduler.advance(1_000);
      trust.hurry();
      trust.hurry();
      await settled();
      trust.hurry();
      await settled();
      expect(source.requests - before).toBe(1);
      source.publish(metadata());
      await scheduler.advance(5_000);
      trust.hurry();
      await settled();
      expect(trust.state()).toBe('fresh');
      expect(scheduler.waiting).toBe(1);
      trust.hurry();
      await scheduler.advance(hour - 1);
      trust.hurry();
      await settled();
      expect(source.requests - before).toBe(2);
    });

    it('is retried immediately for another configuration, which waits for it', async () => {
      const { source, trusts, scheduler } = await absent();
      source.publish(metadata());
      source.isHeld = true;
      const { trust } = trusts.acquire(options, []);
      trusts.acquire(options, []);
      const before = source.requests;
      const loading = trust.firstLoad();
      await settled();
      source.letGo();
      await loading;
      expect([trust.state(), source.requests, scheduler.waiting]).toEqual(['fresh', before, 1]);
    });

    it('is not retried once unused', async () => {
      const { source, scheduler, trust, lease } = await absent();
      await scheduler.advance(20_000);
      lease.release();
      const before = source.requests;
      trust.hurry();
      await trust.firstLoad();
      expect([source.requests - before, scheduler.waiting]).toEqual([0, 0]);
    });
  });

  it('is retried immediately for another configuration only after a failed fetch', async () => {
    const { source, trusts, scheduler, trust } = await loaded(metadata());
    trusts.acquire(options, []);
    await settled();
    expect(source.requests).toBe(1);
    source.goDown();
    await scheduler.advance(hour);
    expect(trust.state()).toBe('stale');
    source.publish(metadata());
    trusts.acquire(options, []);
    await settled();
    expect([trust.state(), source.requests]).toEqual(['fresh', 3]);
  });

  it('is shared among equal configurations, and ends with the last one', async () => {
    const { trusts, source, scheduler } = made();
    source.publish(metadata());
    const first = trusts.acquire(options, []);
    const second = trusts.acquire({ ...options }, []);
    const others = [
      trusts.acquire({ ...options, entityId }, []),
      trusts.acquire({ ...options, refreshMs: 2 * hour }, []),
      trusts.acquire(options, [{ der: 'SIGNER', notAfterMs: 0 }]),
    ];
    await settled();
    expect(second.trust).toBe(first.trust);
    expect(new Set([first, ...others].map(({ trust }) => trust)).size).toBe(4);
    expect(source.requests).toBe(4);
    for (const { release } of others) release();
    first.release();
    first.release();
    await scheduler.advance(hour);
    expect(source.requests).toBe(5);
    second.release();
    expect(scheduler.waiting).toBe(0);
    await scheduler.advance(10 * hour);
    expect(source.requests).toBe(5);
    expect(second.trust.current()?.entityId).toBe(entityId);
  });

  it('is not awaited once unused', async () => {
    const { trusts, source, scheduler, logger } = made();
    source.isHeld = true;
    const { trust, release } = trusts.acquire(options, []);
    release();
    await trust.firstLoad();
    expect(source.cancelled).toBe(1);
    expect(scheduler.waiting).toBe(0);
    expect(logger.lines).toEqual([]);
  });
});
