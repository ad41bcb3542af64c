import { parseAuthority } from '../../../http/host.js';
import type { IpValue, Value } from '../values/value.js';
import { AttributeView } from './attribute-view.js';
import { clientIpValue } from './client-ip-value.js';
import type { GatewayPrincipal } from './gateway-principal.js';

/** What is told of a request. */
export interface RequestFacts {
  readonly method: string;
  /** Normalised path, and the query where there is one. */
  readonly uri: string;
  /** As the Host field has it, a port included; null: none. */
  readonly host: string | null;
  readonly clientIp: string;
  readonly correlationId: string;
}

/** Lower case and without the port; empty where there is none. */
const hostOf = (authority: string | null): string => {
  const parsed = authority === null ? null : parseAuthority(authority);
  return parsed?.ok === true ? parsed.value.host : '';
};

const resourceNames = ['path', 'host', 'query'] as const;

/** Of the resource that is asked for. */
export class ResourceAttributes extends AttributeView {
  readonly #path: string;
  readonly #query: string;
  readonly #authority: string | null;
  #host: string | null = null;

  constructor(path: string, query: string, authority: string | null) {
    super();
    this.#path = path;
    this.#query = query;
    this.#authority = authority;
  }

  protected get names(): readonly string[] {
    return resourceNames;
  }

  override get(name: string): Value | undefined {
    switch (name) {
      case 'path':
        return this.#path;
      case 'query':
        return this.#query;
      case 'host':
        this.#host ??= hostOf(this.#authority);
        return this.#host;
      default:
        return undefined;
    }
  }
}

const contextNames = ['roles', 'claims', 'method', 'client_ip', 'auth_method', 'correlation_id'] as const;

/** Of the context. An address that cannot be read is absent: a policy that needs it fails. */
export class ContextAttributes extends AttributeView {
  readonly #principal: GatewayPrincipal;
  readonly #facts: RequestFacts;
  /** Undefined: not read yet. */
  #clientIp: IpValue | null | undefined = undefined;

  constructor(principal: GatewayPrincipal, facts: RequestFacts) {
    super();
    this.#principal = principal;
    this.#facts = facts;
  }

  protected get names(): readonly string[] {
    return contextNames;
  }

  override get(name: string): Value | undefined {
    switch (name) {
      case 'roles':
        return this.#principal.roles;
      case 'claims':
        return this.#principal.claims;
      case 'method':
        return this.#facts.method;
      case 'client_ip':
        if (this.#clientIp === undefined) this.#clientIp = clientIpValue(this.#facts.clientIp);
        return this.#clientIp ?? undefined;
      case 'auth_method':
        return this.#principal.authMethod;
      case 'correlation_id':
        return this.#facts.correlationId;
      default:
        return undefined;
    }
  }
}
