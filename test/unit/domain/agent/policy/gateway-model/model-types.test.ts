import { describe, expect, it } from 'vitest';
import {
  anonymousPrincipal,
  gatewayPrincipal,
} from '../../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import {
  entityAttributes,
  type ModelType,
  variableTypes,
} from '../../../../../../src/domain/agent/policy/gateway-model/model-types.js';
import { typeName } from '../../../../../../src/domain/agent/policy/values/type-name.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';

const made = gatewayPrincipal(
  { method: 'jwt', userId: 'a', claims: { sub: 'a', roles: 'x' }, certificate: null },
  { principalClaim: 'sub', rolesClaim: 'roles' },
);
if (!made.ok) throw new Error(made.error);
const facts = { method: 'GET', uri: '/', host: null, clientIp: '::1', correlationId: 'c' };
const { entities, resource, context } = gatewayRequest(made.value, facts);

const typesOf = (attributes: Iterable<readonly [string, Value]>) =>
  [...attributes].map(([name, value]) => [name, typeName(value)]);
const named = (type: ModelType) => (type.kind === 'plain' ? type.name : type.kind);
const modelled = (attributes: ReadonlyMap<string, ModelType>) =>
  [...attributes].map(([name, type]) => [name, named(type)]);

describe('the gateway model', () => {
  it('has the actual attributes and types of entities', () => {
    expect(modelled(entityAttributes.User)).toEqual(typesOf(made.value.entity.attributes));
    expect(modelled(entityAttributes.Anonymous)).toEqual(typesOf(anonymousPrincipal.entity.attributes));
    expect(modelled(entityAttributes.Resource)).toEqual(typesOf(entities.get(resource)?.attributes ?? []));
  });

  it('has the actual attributes of the context', () => {
    expect(modelled(variableTypes.context.attributes)).toEqual(typesOf(context.attributes));
  });
});
