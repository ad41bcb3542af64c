import { agentDefaults } from '../../../domain/agent/configuration/agent-configuration.js';
import { checkJwtClaims } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import type { PublishedKey } from '../../ports/agent/token-signing-keys.js';
import type { Clock } from '../../ports/shared/clock.js';
import { type ReadToken, rejected, type SettledVerdict } from './token-verdict.js';

/** The token types that this agent accepts for its own tokens. It issues no ID tokens. */
export type OwnTokenKind = 'access_token' | 'jwt';

/** Accepted values of `typ` (RFC 9068, section 2.1) by token type. An access token is a JWT too. */
const types: Readonly<Record<OwnTokenKind, readonly string[]>> = {
  access_token: ['at+jwt'],
  jwt: ['JWT', 'at+jwt'],
};

/** Verifies tokens issued by this agent: its issuer, signed with one of its keys. */
export class OwnTokens {
  readonly issuer: string;
  readonly #keys: readonly PublishedKey[];
  readonly #clock: Clock;

  constructor(issuer: string, keys: readonly PublishedKey[], clock: Clock) {
    this.issuer = issuer;
    this.#keys = keys;
    this.#clock = clock;
  }

  /** The caller checks the audience. Never throws. */
  verify({ token, header, payload }: ReadToken, kind: OwnTokenKind): SettledVerdict {
    const { alg, kid, typ } = header;
    if (Object.hasOwn(header, 'crit')) return rejected('critical_header');
    if (typeof typ !== 'string' || !types[kind].includes(typ)) return rejected('wrong_type');
    // Every key of this agent has a kid, its thumbprint: equal kids mean equal keys.
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
