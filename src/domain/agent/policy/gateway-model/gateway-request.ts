import type { AuthorizationRequest, Entities, Entity } from '../evaluate/authorization-request.js';
import { entityUid, sameEntity } from '../values/entity-uid.js';
import type { EntityUid, Value } from '../values/value.js';
import type { GatewayPrincipal } from './gateway-principal.js';
import { httpMethods } from './http-methods.js';
import { ContextAttributes, type RequestFacts, ResourceAttributes } from './request-attributes.js';

export type { RequestFacts };

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
export const gatewayRequest = (principal: GatewayPrincipal, facts: RequestFacts): AuthorizationRequest => {
  const { path, query } = splitUri(facts.uri);
  const uid = entityUid('Resource', path);
  const attributes = new ResourceAttributes(path, query, facts.host);
  const resource: Entity = { uid, attributes, tags: noTags, ancestors: noAncestors };
  return {
    principal: principal.entity.uid,
    action: actionOf(facts.method),
    resource: uid,
    context: { kind: 'record', attributes: new ContextAttributes(principal, facts) },
    entities: new RequestEntities(principal.entity, resource),
  };
};
