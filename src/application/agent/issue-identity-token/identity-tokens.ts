import {
  type IdentityTokenOptions,
  upstreamPlaceholder,
} from '../../../domain/agent/configuration/identity-token-block.js';
import type { Identity } from '../../../domain/agent/identity/identity.js';
import {
  identityTokenPayload,
  type StatedIdentity,
  type StatementRules,
  stateIdentity,
} from '../../../domain/agent/identity/identity-token-claims.js';
import { claimsJson } from '../../../domain/agent/tokens/claims.js';
import type { HeaderOperation } from '../../../domain/agent-protocol/messages.js';
import type { SigningKey } from '../../ports/agent/token-signing-keys.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import type { Random } from '../../ports/shared/random.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';

/** Maximum cached tokens, and maximum characters of all of them. */
const maximumTokens = 10_000;
const maximumCharacters = 32 * 1024 * 1024;
/** Stands for the size of a token that is being signed. */
const pendingCharacters = 1_024;

/** RFC 9068, section 2.1. */
const tokenType = 'at+jwt';

interface CachedToken {
  readonly header: MaybePromise<HeaderOperation>;
  readonly characters: number;
  /** On the monotonic clock. */
  readonly reusedUntilMs: number;
}

/** What an identity states, and a digest that equal statements share. */
interface KnownStatement {
  readonly stated: StatedIdentity;
  readonly digest: string;
}

export interface IdentityTokenServices {
  readonly options: IdentityTokenOptions;
  readonly rules: Omit<StatementRules, 'issuer'>;
  readonly key: Pick<SigningKey, 'sign'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
}

/** Signs tokens for upstreams. One token of an identity and upstream is reused for half of its lifetime. */
export class IdentityTokens {
  readonly #parts: IdentityTokenServices;
  readonly #rules: StatementRules;
  /** By digest of the statement and audience; the oldest first. */
  readonly #cached = new Map<string, CachedToken>();
  readonly #statements = new WeakMap<Identity, KnownStatement>();
  #characters = 0;

  constructor(parts: IdentityTokenServices) {
    this.#parts = parts;
    this.#rules = { ...parts.rules, issuer: parts.options.issuer };
  }

  /**
   * The header with a token for an upstream. Rejects if the cryptography fails.
   *
   * @param upstream its name
   */
  headerFor(identity: Identity, upstream: string): MaybePromise<HeaderOperation> {
    const { stated, digest } = this.#statementOf(identity);
    const audience = this.#parts.options.audience.replaceAll(upstreamPlaceholder, upstream);
    const key = `${digest} ${audience}`;
    const cached = this.#cached.get(key);
    if (cached !== undefined && this.#parts.clock.monotonicMs() < cached.reusedUntilMs) return cached.header;
    return this.#sign(key, stated, audience);
  }

  /** The number of cached tokens. */
  get size(): number {
    return this.#cached.size;
  }

  #statementOf(identity: Identity): KnownStatement {
    const known = this.#statements.get(identity);
    if (known !== undefined) return known;
    const stated = stateIdentity(identity, this.#rules);
    const { subject, clientId, scopes, claims } = stated;
    const digest = this.#parts.digest.sha256Hex(JSON.stringify([subject, clientId, scopes, claimsJson(claims)]));
    const statement = { stated, digest };
    this.#statements.set(identity, statement);
    return statement;
  }

  #sign(cacheKey: string, stated: StatedIdentity, audience: string): Promise<HeaderOperation> {
    const { options, clock, random, key } = this.#parts;
    const { issuer, ttlMs, header: name } = options;
    const payload = identityTokenPayload(stated, {
      issuer,
      audience,
      jti: random.uuid(),
      issuedAtSecs: Math.floor(clock.wallMs() / 1000),
      lifetimeSecs: ttlMs / 1000,
    });
    const reusedUntilMs = clock.monotonicMs() + ttlMs / 2;
    const header = key.sign(tokenType, payload).then((value): HeaderOperation => ({ kind: 'set', name, value }));
    // Requests at the same time share the signature.
    const pending = { header, characters: pendingCharacters, reusedUntilMs };
    this.#keep(cacheKey, pending);
    header.then(
      (signed) => {
        if (this.#cached.get(cacheKey) !== pending || signed.kind === 'remove') return;
        this.#keep(cacheKey, { header: signed, characters: cacheKey.length + signed.value.length, reusedUntilMs });
      },
      () => {
        if (this.#cached.get(cacheKey) === pending) this.#drop(cacheKey);
      },
    );
    return header;
  }

  #keep(key: string, token: CachedToken): void {
    this.#drop(key);
    this.#cached.set(key, token);
    this.#characters += token.characters;
    while (this.#cached.size > maximumTokens || this.#characters > maximumCharacters) {
      this.#drop(this.#cached.keys().next().value as string);
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#cached.get(key)?.characters ?? 0;
    this.#cached.delete(key);
  }
}
