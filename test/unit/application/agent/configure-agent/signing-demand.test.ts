import { describe, expect, it } from 'vitest';
import { SigningDemand } from '../../../../../src/application/agent/configure-agent/prepared-saml.js';
import { IdentityProviderTrusts } from '../../../../../src/application/agent/sign-on/saml/trust/identity-provider-trusts.js';
import {
  FakeMetadataSource,
  FakeMetadataVerifier,
  formalCertificates,
} from '../../../../support/agent/fake-metadata.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const hour = 3_600_000;
const metadata = (wants: boolean): string =>
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://id.example">' +
  `<IDPSSODescriptor WantAuthnRequestsSigned="${wants}" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">` +
  '<KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>AAAA</X509Certificate>' +
  '</X509Data></KeyInfo></KeyDescriptor><SingleSignOnService Location="https://id.example/sso" ' +
  'Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"/></IDPSSODescriptor></EntityDescriptor>';

const begun = async (wants: boolean | null, hasKey: boolean) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const source = new FakeMetadataSource();
  const trusts = new IdentityProviderTrusts({
    source,
    verifier: new FakeMetadataVerifier(),
    keys: formalCertificates,
    clock,
    scheduler,
    random: { fraction: () => 0 },
    logger: new RecordingLogger(),
  });
  if (wants === null) source.goDown();
  else source.publish(metadata(wants));
  const { trust } = trusts.acquire(
    { kind: 'metadata', url: 'https://id.example/m', entityId: null, certificateFile: null, refreshMs: hour },
    [],
  );
  await trust.firstLoad();
  const logger = new RecordingLogger();
  const demand = new SigningDemand(trust, hasKey, logger);
  const warnings = demand.begin().map(({ severity, message }) => `${severity}: ${message}`);
  const publish = async (wanted: boolean) => {
    source.publish(metadata(wanted));
    await scheduler.advance(hour);
  };
  return { warnings, logger, demand, publish, source, scheduler };
};

describe('an identity provider that requires signed requests', () => {
  it('causes a warning at startup without a key', async () => {
    const { warnings, logger, publish } = await begun(true, false);
    expect(warnings).toEqual([expect.stringMatching(/^warning: .* sp-key-file is not set: it will refuse sign-ons$/)]);
    await publish(true);
    expect(logger.lines).toEqual([]);
  });

  it('causes a log warning each time that its metadata begins to require them', async () => {
    const { warnings, logger, publish } = await begun(false, false);
    expect(warnings).toEqual([]);
    await publish(true);
    expect(logger.lines).toEqual([
      { level: 'warn', message: expect.stringContaining('saml: the identity provider requires signed'), fields: {} },
    ]);
    await publish(true);
    expect(logger.lines).toHaveLength(1);
    await publish(false);
    await publish(true);
    expect(logger.lines).toHaveLength(2);
  });

  it('causes a warning when its metadata arrives late, and not again after an outage', async () => {
    const { warnings, logger, publish, source, scheduler } = await begun(null, false);
    expect(warnings).toEqual([]);
    await publish(true);
    expect(logger.lines).toHaveLength(1);
    source.goDown();
    await scheduler.advance(hour);
    await publish(true);
    expect(logger.lines).toHaveLength(1);
  });

  it('causes no warning with a key, or after the configuration ended', async () => {
    const signing = await begun(true, true);
    expect(signing.warnings).toEqual([]);
    await signing.publish(false);
    await signing.publish(true);
    expect(signing.logger.lines).toEqual([]);
    const gone = await begun(false, false);
    gone.demand.stop();
    await gone.publish(true);
    expect(gone.logger.lines).toEqual([]);
  });
});
