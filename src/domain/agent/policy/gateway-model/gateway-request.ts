import { parseIpAddress } from '../../../http/ip-address.js';
import { parseAuthority } from '../../../http/request-target.js';
import type { AuthorizationRequest, Entities, Entity } from '../evaluate/authorization-request.js';
import { entityUid, sameEntity } from '../values/entity-uid.js';
import type { EntityUid, IpValue, Value } from '../values/value.js';
import type { GatewayPrincipal } from './gateway-principal.js';
import { httpMethods } from './http-methods.js';

/**
 * Attributes computed on demand, because most policies read few. Iteration builds a map of all attributes once.
 */
abstract class AttributeView implements ReadonlyMap<string, Value> {
  #all: ReadonlyMap<string, Value> | null = null;

  /** The value, identical on every call; undefined if absent. */
  abstract get(name: string): Value | undefined;
  /** The names of all possible attributes. */
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

/** A client address as a Cedar value; null if invalid. An IPv4-mapped IPv6 address becomes the IPv4 address. */
const clientIpValue = (text: string): IpValue | null => {
  const words = parseIpAddress(text);
  if (words === null) return null;
  if (words.length === 1) return { kind: 'ip', version: 4, address: BigInt(words[0]), prefixLength: 32 };
  let address = 0n;
  for (const word of words) address = (address << 32n) | BigInt(word);
  return { kind: 'ip', version: 6, address, prefixLength: 128 };
};

/** The request properties that policies can read. */
export interface RequestAttributes {
  readonly method: string;
  /** The normalised path with the query, if any. */
  readonly uri: string;
  /** The Host field, including a port; null if absent. */
  readonly host: string | null;
  readonly clientIp: string;
  readonly correlationId: string;
}

/** The host in lower case, without the port; empty if absent. */
const hostOf = (authority: string | null): string => {
  const parsed = authority === null ? null : parseAuthority(authority);
  return parsed?.ok === true ? parsed.value.host : '';
};

const resourceNames = ['path', 'host', 'query'] as const;

/** The attributes of the requested resource. */
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

/** The attributes of the context. An invalid client address is absent, so a policy that needs it fails. */
class ContextAttributes extends AttributeView {
  readonly #principal: GatewayPrincipal;
  readonly #attributes: RequestAttributes;
  /** Undefined until first read. */
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

/** Path and query of a request; the query has no `?` and is empty if absent. */
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

/** Knows only the principal and the resource; other users, paths, roles and actions are unknown entities. */
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

/** The authorization request of an HTTP request: `Action::"<method>"` on `Resource::"<path>"`. */
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
