import { parseAuthority } from '../../../http/host.js';
import { parseIpAddress } from '../../../http/ip-address.js';
import type { AuthorizationRequest, Entities, Entity } from '../evaluate/authorization-request.js';
import { entityUid, sameEntity } from '../values/entity-uid.js';
import type { EntityUid, IpValue, Value } from '../values/value.js';
import type { GatewayPrincipal } from './gateway-principal.js';
import { httpMethods } from './http-methods.js';

/**
 * Attributes that are made when a policy asks for them, one by one: most policies look at few, and a request has to
 * be cheap. Whoever wants all of them gets a map, made once.
 */
abstract class AttributeView implements ReadonlyMap<string, Value> {
  #all: ReadonlyMap<string, Value> | null = null;

  /** The value, the same each time; undefined: absent. */
  abstract get(name: string): Value | undefined;
  /** Of all that can be there. */
  protected abstract get names(): readonly string[];

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  get size(): number {
    return this.#map.size;
  }

  keys(): MapIterator<string> {
    return this.#map.keys();
  }

  values(): MapIterator<Value> {
    return this.#map.values();
  }

  entries(): MapIterator<[string, Value]> {
    return this.#map.entries();
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.#map.entries();
  }

  forEach(visit: (value: Value, name: string, map: ReadonlyMap<string, Value>) => void): void {
    this.#map.forEach(visit);
  }

  get #map(): ReadonlyMap<string, Value> {
    this.#all ??= this.#make();
    return this.#all;
  }

  #make(): ReadonlyMap<string, Value> {
    const all = new Map<string, Value>();
    for (const name of this.names) {
      const value = this.get(name);
      if (value !== undefined) all.set(name, value);
    }
    return all;
  }
}

/** A client's address as policies see it; null where it is none. An IPv4-mapped IPv6 address is the IPv4 address. */
const clientIpValue = (text: string): IpValue | null => {
  const words = parseIpAddress(text);
  if (words === null) return null;
  if (words.length === 1) return { kind: 'ip', version: 4, address: BigInt(words[0]), prefixLength: 32 };
  let address = 0n;
  for (const word of words) address = (address << 32n) | BigInt(word);
  return { kind: 'ip', version: 6, address, prefixLength: 128 };
};

/** What is told of a request. */
export interface RequestAttributes {
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
class ResourceAttributes extends AttributeView {
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
class ContextAttributes extends AttributeView {
  readonly #principal: GatewayPrincipal;
  readonly #attributes: RequestAttributes;
  /** Undefined: not read yet. */
  #clientIp: IpValue | null | undefined = undefined;

  constructor(principal: GatewayPrincipal, attributes: RequestAttributes) {
    super();
    this.#principal = principal;
    this.#attributes = attributes;
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
        return this.#attributes.method;
      case 'client_ip':
        if (this.#clientIp === undefined) this.#clientIp = clientIpValue(this.#attributes.clientIp);
        return this.#clientIp ?? undefined;
      case 'auth_method':
        return this.#principal.authMethod;
      case 'correlation_id':
        return this.#attributes.correlationId;
      default:
        return undefined;
    }
  }
}

/** Path and query of a request; the query without its `?`, empty where there is none. */
export interface SplitUri {
  readonly path: string;
  readonly query: string;
}

export const splitUri = (uri: string): SplitUri => {
  const mark = uri.indexOf('?');
  return mark < 0 ? { path: uri, query: '' } : { path: uri.slice(0, mark), query: uri.slice(mark + 1) };
};

const actions: ReadonlyMap<string, EntityUid> = new Map(
  httpMethods.map((method) => [method, entityUid('Action', method)]),
);
const actionOf = (method: string): EntityUid => actions.get(method) ?? entityUid('Action', method);

const noTags: ReadonlyMap<string, Value> = new Map();
const noAncestors: ReadonlySet<string> = new Set();

/** Nothing is known of other users and paths, nor of any role or action. */
class RequestEntities implements Entities {
  readonly #principal: Entity;
  readonly #resource: Entity;

  constructor(principal: Entity, resource: Entity) {
    this.#principal = principal;
    this.#resource = resource;
  }

  get(uid: EntityUid): Entity | undefined {
    if (sameEntity(uid, this.#resource.uid)) return this.#resource;
    return sameEntity(uid, this.#principal.uid) ? this.#principal : undefined;
  }
}

/** The question that a request puts to the policies: `Action::"<method>"` on `Resource::"<path>"`. */
export const gatewayRequest = (principal: GatewayPrincipal, attributes: RequestAttributes): AuthorizationRequest => {
  const { path, query } = splitUri(attributes.uri);
  const uid = entityUid('Resource', path);
  const resourceAttributes = new ResourceAttributes(path, query, attributes.host);
  const resource: Entity = { uid, attributes: resourceAttributes, tags: noTags, ancestors: noAncestors };
  return {
    principal: principal.entity.uid,
    action: actionOf(attributes.method),
    resource: uid,
    context: { kind: 'record', attributes: new ContextAttributes(principal, attributes) },
    entities: new RequestEntities(principal.entity, resource),
  };
};
