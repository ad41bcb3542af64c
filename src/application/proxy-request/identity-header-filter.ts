import { alwaysOwned, type OwnedHeaders, ownedHeaders } from '../../domain/identity/owned-headers.js';
import type { DeclaredHeaderNames } from '../call-agents/declared-header-names.js';

/**
 * The headers that no client may send, on any route: the fixed identity and certificate headers, those that the agent
 * blocks of the configuration name, and those that agents declare in their handshakes. Compiled again only when an agent
 * declares other names.
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

  #compile(): OwnedHeaders {
    return ownedHeaders([...alwaysOwned, ...this.#configured, ...this.#declared.all()]);
  }
}
