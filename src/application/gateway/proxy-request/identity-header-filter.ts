import { alwaysOwned, type OwnedHeaders, ownedHeaders, stripNewlyOwned } from '../../../domain/http/owned-headers.js';
import type { DeclaredHeaderNames } from '../ask-agents/declared-header-names.js';
import type { ExchangeView } from './exchange.js';

/**
 * The headers that clients must not send on any route: the fixed identity and certificate headers, those of the agent
 * blocks, and those that agents declare in their handshakes. Recompiled only when an agent declares other names.
 */
export class IdentityHeaderFilter {
  readonly #configured: readonly string[];
  readonly #declared: DeclaredHeaderNames;
  #revision: number;
  #compiled: OwnedHeaders;

  constructor(configured: readonly string[], declared: DeclaredHeaderNames) {
    this.#configured = configured;
    this.#declared = declared;
    this.#revision = declared.revision;
    this.#compiled = this.#compile();
  }

  current(): OwnedHeaders {
    if (this.#revision !== this.#declared.revision) {
      this.#revision = this.#declared.revision;
      this.#compiled = this.#compile();
    }
    return this.#compiled;
  }

  /**
   * Removes the headers that agents have declared since the headers were prepared, because an agent may connect while a
   * request waits for it. Call it before the agent's own headers are applied.
   */
  removeNewlyDeclared({ forwarded }: ExchangeView<never, 'forwarded'>): void {
    const now = this.current();
    const { identityNames: before, certificateFields, headers } = forwarded;
    if (before === null || before === now) return;
    forwarded.identityNames = now;
    // The gateway sets certificate fields itself, even if an agent declares their names.
    const certificates = certificateFields.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    forwarded.headers = stripNewlyOwned(headers, { before, now }, new Set(certificates));
  }

  #compile(): OwnedHeaders {
    return ownedHeaders([...alwaysOwned, ...this.#configured, ...this.#declared.all()]);
  }
}
