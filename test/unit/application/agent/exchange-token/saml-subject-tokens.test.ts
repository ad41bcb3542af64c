import { describe, expect, it } from 'vitest';
import { SamlSubjectTokens } from '../../../../../src/application/agent/exchange-token/saml-subject-tokens.js';
import {
  documentsOfGroup,
  VerificationShares,
} from '../../../../../src/application/agent/sign-on/saml/verification-shares.js';
import type { VerifierFailure } from '../../../../../src/application/ports/agent/saml-document-verifier.js';
import type { Cancellation } from '../../../../../src/application/ports/shared/cancellation.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import type { SamlOptions } from '../../../../../src/domain/agent/configuration/saml-options.js';
import type { Assertion } from '../../../../../src/domain/agent/saml/assertion.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { SamlWorld, spKey } from '../../../../support/agent/fake-saml-sign-on.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const endpointUrl = 'https://app.example/token/exchange';
const token = 'dG9rZW4';

interface Asked {
  readonly assertion?: Partial<Assertion>;
  readonly options?: Partial<SamlOptions>;
  readonly oneTime?: boolean;
}

/** Sign-on and token exchange side by side, as one process has them. */
class Exchange {
  readonly world: SamlWorld;
  readonly shares = new VerificationShares();
  readonly tokens: SamlSubjectTokens;

  constructor({ assertion = {}, options = {}, oneTime = true }: Asked = {}) {
    this.world = new SamlWorld({ options });
    const { verifier, digest, clock } = this.world;
    this.tokens = new SamlSubjectTokens({
      options: this.world.options,
      endpointUrl,
      oneTime,
      key: spKey,
      trust: {
        current: () => this.world.provider,
        hurry: () => {
          this.world.hurried += 1;
        },
      },
      verifier,
      digest,
      clock,
      shares: this.shares,
    });
    verifier.assertion = ok({ head: null, assertion: this.assertion(assertion) });
  }

  /** A good one for the token endpoint, and for nothing else. */
  assertion(changed: Partial<Assertion> = {}): Assertion {
    const { assertion } = this.world.response(null);
    const [confirmation] = assertion.confirmations;
    if (!confirmation?.data) throw new Error('there is no confirmation');
    const data = { ...confirmation.data, recipient: endpointUrl };
    return { ...assertion, confirmations: [{ ...confirmation, data }], ...changed };
  }

  verify(cancellation: Cancellation = neverCancelled) {
    return this.tokens.verify(token, this.world.event('/token/exchange'), cancellation);
  }

  /** Kind and detail of the fault, or `accepted`. */
  async outcome(): Promise<string> {
    const result = await this.verify();
    return result.ok ? 'accepted' : `${result.error.kind} ${result.error.detail}`;
  }
}

const accepted = async (asked: Asked) => {
  const result = await new Exchange(asked).verify();
  if (!result.ok) throw new Error(result.error.detail);
  return result.value;
};

describe('a valid SAML token', () => {
  it('gives the user, the issuer and the expiry', async () => {
    const exchange = new Exchange({ assertion: { id: '_a' } });
    expect(await exchange.verify()).toEqual({
      ok: true,
      value: {
        kind: 'saml2',
        issuer: 'https://idp.example',
        subject: 'ann@idp',
        claims: { mail: 'ann@example.com' },
        expiresMs: exchange.world.clock.wallMs() + 60_000,
        isOwn: false,
        isTypedForAccess: false,
        oneTime: {
          key: exchange.world.digest.sha256Hex('https://idp.example\n_a'),
          untilMs: exchange.world.clock.wallMs() + 60_000 + 600_000,
        },
      },
    });
    const { documents, keys } = exchange.world.verifier;
    expect(documents).toEqual([token]);
    expect(keys).toEqual([{ signingCertificates: ['MIIB'], decryptionKey: spKey.decryptionKey }]);
  });

  it('gives its attributes as claims, under any names', async () => {
    const { claims } = await accepted({
      assertion: {
        attributes: [
          { name: 'roles', values: ['a', 'b'] },
          { name: 'empty', values: [] },
          { name: '__proto__', values: ['x'] },
          { name: 'roles', values: ['c'] },
        ],
      },
    });
    expect(Object.entries(claims)).toEqual([
      ['roles', ['a', 'b', 'c']],
      ['empty', []],
      ['__proto__', 'x'],
    ]);
    expect(Object.getPrototypeOf(claims)).toBe(Object.prototype);
  });

  it('can be reused if configured, unless its issuer demands single use', async () => {
    expect((await accepted({ oneTime: false })).oneTime).toBeNull();
    const conditions = new Exchange().assertion().conditions;
    if (conditions === null) throw new Error('there are none');
    const once = await accepted({ oneTime: false, assertion: { conditions: { ...conditions, oneTimeUse: true } } });
    expect(once.oneTime).not.toBeNull();
  });

  it('shares its replay cache with sign-on', async () => {
    const exchange = new Exchange({ options: { allowIdpInitiated: true } });
    const { world } = exchange;
    const forEndpoint = exchange.assertion().confirmations;
    const forConsumer = world.response(null).assertion.confirmations;
    const confirmations = [...forConsumer, ...forEndpoint];
    world.verifier.response = ok(world.response(null, { id: '_both', confirmations }));
    await world.post('/saml/acs', { SAMLResponse: 'RG9jdW1lbnQ' });
    expect(world.completed).toBe(1);

    world.verifier.assertion = ok({ head: null, assertion: exchange.assertion({ id: '_both', confirmations }) });
    const result = await exchange.verify();
    if (!result.ok || result.value.oneTime === null) throw new Error('it is not accepted once');
    const { key, untilMs } = result.value.oneTime;
    expect(await world.replays.remember(key, untilMs)).toEqual({ ok: true, value: 'seen' });
  });

  it('follows the sign-on settings for user and attributes', async () => {
    expect(await new Exchange({ options: { userIdAttribute: 'uid' } }).outcome()).toBe('invalid unusable_user_id');
    expect((await accepted({ options: { userIdAttribute: 'mail' } })).subject).toBe('ann@example.com');
    const authnContexts = ['urn:strong'];
    expect(await new Exchange({ options: { authnContexts } }).outcome()).toBe('invalid wrong_authentication_context');
    expect(await new Exchange({ options: { nameIdFormat: 'urn:x' } }).outcome()).toBe('invalid wrong_name_id_format');
    expect(await new Exchange({ options: { clockSkewMs: 0 } }).outcome()).toBe('accepted');
  });

  it('does not need sign-on initiated by the identity provider, nor fresh authentication', async () => {
    const options = { allowIdpInitiated: false, forceAuthn: true };
    const statement = { authnInstantMs: 0, sessionIndex: null, sessionNotOnOrAfterMs: null, contextClass: null };
    expect(await new Exchange({ options, assertion: { authentication: [statement] } }).outcome()).toBe('accepted');
  });
});

describe('an assertion for a sign-on', () => {
  it('is not accepted as a token if meant for the consumer endpoint, solicited or not', async () => {
    const exchange = new Exchange();
    const { verifier } = exchange.world;
    verifier.assertion = ok({ head: null, assertion: exchange.world.response(null).assertion });
    expect(await exchange.outcome()).toBe('invalid wrong_recipient');
    verifier.assertion = ok(exchange.world.response(null));
    expect(await exchange.outcome()).toBe('invalid wrong_destination');
    verifier.assertion = ok(exchange.world.response('_request'));
    expect(await exchange.outcome()).toBe('invalid wrong_destination');
    verifier.assertion = ok({ head: null, assertion: exchange.world.response('_request').assertion });
    expect(await exchange.outcome()).toBe('invalid wrong_in_response_to');
  });

  it('is not accepted as a token if it answers a request, even with the token endpoint as recipient', async () => {
    const exchange = new Exchange();
    const [confirmation] = exchange.assertion().confirmations;
    if (!confirmation?.data) throw new Error('there is none');
    const confirmations = [{ ...confirmation, data: { ...confirmation.data, inResponseTo: '_request' } }];
    exchange.world.verifier.assertion = ok({ head: null, assertion: exchange.assertion({ confirmations }) });
    expect(await exchange.outcome()).toBe('invalid wrong_in_response_to');
    const { head } = exchange.world.response('_request');
    const around = { ...head, destination: endpointUrl };
    exchange.world.verifier.assertion = ok({ head: around, assertion: exchange.assertion() });
    expect(await exchange.outcome()).toBe('invalid wrong_in_response_to');
  });
});

describe('a SAML token that cannot be verified', () => {
  const kinds: Readonly<Partial<Record<VerifierFailure, string>>> = {
    wrong_signature: 'invalid wrong_signature',
    document_markup: 'invalid document_markup',
    overloaded: 'overloaded overloaded',
    cancelled: 'cancelled cancelled',
    verifier_failed: 'keys_unavailable verifier_failed',
  };
  for (const [failure, expected] of Object.entries(kinds)) {
    it(`reports ${failure}`, async () => {
      const exchange = new Exchange();
      exchange.world.verifier.assertion = err(failure as VerifierFailure);
      expect(await exchange.outcome()).toBe(expected);
    });
  }

  it("waits for the identity provider's metadata, and triggers its fetch", async () => {
    const exchange = new Exchange();
    exchange.world.provider = null;
    expect(await exchange.outcome()).toBe('provider_unavailable provider_unavailable');
    expect(exchange.world.hurried).toBe(1);
    expect(exchange.world.verifier.documents).toEqual([]);
  });

  it("is refused if the client's share is exhausted, for any use", async () => {
    const exchange = new Exchange();
    const { clientIp } = exchange.world.event('/').metadata;
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const others = Array.from({ length: documentsOfGroup }, () => exchange.shares.run(clientIp, () => held));
    expect(await exchange.outcome()).toBe('overloaded overloaded');
    expect(exchange.world.verifier.documents).toEqual([]);
    end();
    await Promise.all(others);
    expect(await exchange.outcome()).toBe('accepted');
  });

  it('is abandoned after cancellation', async () => {
    const exchange = new Exchange();
    const source = new CancellationSource();
    source.cancel();
    expect(await exchange.verify(source)).toEqual(err({ kind: 'cancelled', detail: 'cancelled' }));
  });
});
