import { describe, expect, it } from 'vitest';
import { parseIp } from '../../../../../../src/domain/agent/policy/extensions/ip-address.js';
import {
  anonymousPrincipal,
  gatewayPrincipal,
} from '../../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import {
  gatewayRequest,
  type RequestAttributes,
} from '../../../../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import { entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';
import { recordOf } from '../../../../../../src/domain/agent/policy/values/record-value.js';
import { equalValues } from '../../../../../../src/domain/agent/policy/values/value-equality.js';

const facts: RequestAttributes = {
  method: 'GET',
  uri: '/reports/2024?page=2&next=/a?b',
  host: 'API.Example.com:8443',
  clientIp: '192.0.2.7',
  correlationId: 'c-1',
};
const made = gatewayPrincipal(
  { method: 'jwt', userId: 'alice', claims: { sub: 'alice', roles: 'reader' }, certificate: null },
  { principalClaim: 'sub', rolesClaim: 'roles' },
);
if (!made.ok) throw new Error(made.error);
const alice = made.value;
const request = (some: Partial<RequestAttributes> = {}) => gatewayRequest(alice, { ...facts, ...some });
const resourceOf = (some: Partial<RequestAttributes>) => {
  const { entities, resource } = request(some);
  return Object.fromEntries(entities.get(resource)?.attributes ?? []);
};

describe('the gateway request', () => {
  it('contains the method, the path and the user', () => {
    const { principal, action, resource, entities } = request();
    expect(principal).toEqual(entityUid('User', 'alice'));
    expect(action).toEqual(entityUid('Action', 'GET'));
    expect(resource).toEqual(entityUid('Resource', '/reports/2024'));
    expect(entities.get(principal)).toBe(alice.entity);
    expect(entities.get(entityUid('User', 'alice'))).toBe(alice.entity);
  });

  it('accepts an unknown method unchanged', () => {
    expect(request({ method: 'get' }).action).toEqual(entityUid('Action', 'get'));
    expect(request({ method: '__proto__' }).action).toEqual(entityUid('Action', '__proto__'));
  });

  it.each([
    [{}, { path: '/reports/2024', host: 'api.example.com', query: 'page=2&next=/a?b' }],
    [{ uri: '/' }, { path: '/', host: 'api.example.com', query: '' }],
    [{ uri: '/a?' }, { path: '/a', host: 'api.example.com', query: '' }],
    [
      { uri: '*', host: null },
      { path: '*', host: '', query: '' },
    ],
    [{ host: 'example.com' }, { path: '/reports/2024', host: 'example.com', query: 'page=2&next=/a?b' }],
    [
      { uri: '/', host: '[2001:DB8::1]:80' },
      { path: '/', host: '[2001:db8::1]', query: '' },
    ],
    [
      { uri: '/', host: 'user@evil' },
      { path: '/', host: '', query: '' },
    ],
  ])('gives path, host and query of the resource: %j', (some, expected) => {
    expect(resourceOf(some)).toEqual(expected);
  });

  it('knows no other users, paths, roles and actions', () => {
    const { entities } = request();
    for (const [type, id] of [
      ['User', 'bob'],
      ['Resource', '/reports'],
      ['Role', 'reader'],
      ['Action', 'GET'],
      ['Anonymous', 'anonymous'],
      ['Anonymous', 'alice'],
    ] as const) {
      expect(entities.get(entityUid(type, id))).toBeUndefined();
    }
  });

  it('never confuses a user and a path', () => {
    const { entities } = gatewayRequest(alice, { ...facts, uri: 'alice' });
    expect(entities.get(entityUid('User', 'alice'))?.attributes.has('roles')).toBe(true);
    expect(entities.get(entityUid('Resource', 'alice'))?.attributes.has('roles')).toBe(false);
  });

  it('has a context', () => {
    const { attributes } = request().context;
    expect([...attributes.keys()].toSorted()).toEqual([
      'auth_method',
      'claims',
      'client_ip',
      'correlation_id',
      'method',
      'roles',
    ]);
    expect(attributes.get('roles')).toBe(alice.roles);
    expect(attributes.get('claims')).toBe(alice.claims);
    expect(attributes.get('method')).toBe('GET');
    expect(attributes.get('auth_method')).toBe('jwt');
    expect(attributes.get('correlation_id')).toBe('c-1');
    expect(attributes.get('client_ip')).toEqual(parseIp('192.0.2.7'));
  });

  it.each([
    ['::1', '::1'],
    ['2001:db8::ffff:1', '2001:db8::ffff:1'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['255.255.255.255', '255.255.255.255'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::ffff:a00:1', '10.0.0.1'],
  ])('contains the client address: %s', (clientIp, address) => {
    expect(request({ clientIp }).context.attributes.get('client_ip')).toEqual(parseIp(address));
  });

  it.each(['', 'unix:', 'localhost', '10.0.0.1/8', '10.0.0.1:80', '[::1]', 'fe80::1%eth0'])(
    'omits an invalid client address: %s',
    (clientIp) => {
      expect(request({ clientIp }).context.attributes.has('client_ip')).toBe(false);
    },
  );

  it('gives attributes equal to those of the full context', () => {
    for (const clientIp of ['192.0.2.7', 'unknown']) {
      const { attributes } = request({ clientIp }).context;
      const whole = new Map(attributes);
      expect(attributes.size).toBe(whole.size);
      for (const name of [
        'roles',
        'claims',
        'method',
        'client_ip',
        'auth_method',
        'correlation_id',
        'size',
        'get',
        '',
      ]) {
        expect(attributes.get(name)).toBe(whole.get(name));
        expect(attributes.has(name)).toBe(whole.has(name));
      }
      const visited: unknown[] = [];
      attributes.forEach((value, name) => visited.push([name, value]));
      expect(visited).toEqual([...whole]);
      expect([...attributes.entries()]).toEqual([...whole]);
      expect([...attributes.values()]).toEqual([...whole.values()]);
    }
  });

  it('has a context equal to a plain record', () => {
    const { context } = request();
    expect(equalValues(context, recordOf(context.attributes))).toBe(true);
    expect(equalValues(recordOf(context.attributes), context)).toBe(true);
    expect(equalValues(context, recordOf([['method', 'GET']]))).toBe(false);
  });

  it('has the auth method none for an anonymous request', () => {
    const { principal, context } = gatewayRequest(anonymousPrincipal, facts);
    expect(principal).toEqual(entityUid('Anonymous', 'anonymous'));
    expect(context.attributes.get('auth_method')).toBe('none');
  });
});
