import { agentDefaults } from '../../../domain/agent/configuration/agent-configuration.js';
import { checkJwtClaims } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import type { PublishedKey } from '../../ports/agent/token-signing-keys.js';
import type { Clock } from '../../ports/shared/clock.js';
import { type ReadToken, rejected, type SettledVerdict } from './token-verdict.js';

/** What a token of our own can be shown as; ID tokens are not issued here. */
export type OwnTokenKind = 'access_token' | 'jwt';

/**
 * Values of `typ` that are issued here (RFC 9068, section 2.1), by what the token is shown as: an access token is a
 * JWT too.
 */
const types: Readonly<Record<OwnTokenKind, readonly string[]>> = {
  access_token: ['at+jwt'],
  jwt: ['JWT', 'at+jwt'],
};

/** Tokens that were issued here: under our issuer, and signed with one of our keys. */
export class OwnTokens {
  readonly issuer: string;
  readonly #keys: readonly PublishedKey[];
  readonly #clock: Clock;

  constructor(issuer: string, keys: readonly PublishedKey[], clock: Clock) {
    this.issuer = issuer;
    this.#keys = keys;
    this.#clock = clock;
  }

  /** For whom the token is meant is for the caller to judge. Never throws. */
  verify({ token, header, payload }: ReadToken, kind: OwnTokenKind): SettledVerdict {
    const { alg, kid, typ } = header;
    if (Object.hasOwn(header, 'crit')) return rejected('critical_header');
    if (typeof typ !== 'string' || !types[kind].includes(typ)) return rejected('wrong_type');
    // Every one of our keys has a kid, and it is the thumbprint: two keys that share it are one.
    const named = this.#keys.filter((key) => key.kid === kid);
    if (named.length === 0) return rejected('unknown_key');
    const key = named.find(({ algorithm }) => algorithm === alg);
    if (key === undefined) return rejected('wrong_algorithm');
    if (!key.verifier.isSigned(token)) return rejected('bad_signature');
    const rules = { issuer: this.issuer, audiences: [], clockSkewMs: agentDefaults.clockSkewMs };
    const accepted = checkJwtClaims(payload, rules, this.#clock.wallMs());
    if (!accepted.ok) return rejected(accepted.error);
    return { kind: 'verified', token: { ...accepted.value, claims: payload, key: null } };
  }
}
