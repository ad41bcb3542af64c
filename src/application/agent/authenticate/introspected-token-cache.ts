import type { TokenBinding } from '../../../domain/agent/tokens/confirmation-rules.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { CheckOutcome } from './authentication-check.js';

/** The result of an introspection. */
export interface IntrospectedToken {
  /** Authenticated, or why the token is refused. */
  readonly outcome: CheckOutcome;
  /** What each request must prove; null for a refusal. */
  readonly binding: TokenBinding | null;
  /** How long the result may be used, in milliseconds. */
  readonly lifeMs: number;
  /** The moment of expiry of the token, in milliseconds since the Unix epoch; infinite: none. */
  readonly expiresMs: number;
}

/** Maximum results. */
export const maximumIntrospected = 10_000;

interface Entry {
  readonly token: IntrospectedToken;
  /** By the monotonic clock. */
  readonly endMs: number;
}

/** Results of introspections, by SHA-256 of the token, with an end each. Evicts the least recently used. */
export class IntrospectedTokenCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A result that may be used now; null: there is none. */
  recall(digest: string): IntrospectedToken | null {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return null;
    this.#entries.delete(digest);
    const isUsable = this.#clock.monotonicMs() < entry.endMs && this.#clock.wallMs() < entry.token.expiresMs;
    if (!isUsable) return null;
    this.#entries.set(digest, entry);
    return entry.token;
  }

  remember(digest: string, token: IntrospectedToken): void {
    if (token.lifeMs === 0) return;
    this.#entries.delete(digest);
    this.#entries.set(digest, { token, endMs: this.#clock.monotonicMs() + token.lifeMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maximumIntrospected && oldest !== undefined) this.#entries.delete(oldest);
  }
}
