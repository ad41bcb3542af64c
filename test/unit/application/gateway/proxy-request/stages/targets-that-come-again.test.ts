import { expect, it } from 'vitest';
import { ProblemAnswerer } from '../../../../../../src/application/gateway/proxy-request/answer-problem.js';
import type { Exchange } from '../../../../../../src/application/gateway/proxy-request/exchange.js';
import {
  type CompiledRoute,
  chooseRoute,
} from '../../../../../../src/application/gateway/proxy-request/stages/choose-route.js';
import { resolveTarget } from '../../../../../../src/application/gateway/proxy-request/stages/resolve-target.js';
import type { ClientRequest } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import type { RouteConfiguration } from '../../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { RoutableRequest } from '../../../../../../src/domain/gateway/routing/routable-request.js';
import { compileCidrs } from '../../../../../../src/domain/http/cidr-set.js';
import { ConnectionHeaderCache } from '../../../../../../src/domain/http/connection-header-cache.js';
import { newExchange } from '../../../../../support/gateway/exchanges.js';
import { routeConfiguration } from '../../../../../support/gateway/route-configurations.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const nobody = compileCidrs([]);
if (!nobody.ok) throw new Error(nobody.error);
const trusted = nobody.value;

const problems = new ProblemAnswerer(new RecordingLogger());
const resolve = resolveTarget(problems);

/** Routes by what they are to be found by, and how often the table was asked. */
const routing = (find: (request: RoutableRequest) => string | null) => {
  const configurations = new Map(['one', 'other'].map((id) => [id, routeConfiguration(id, {})] as const));
  const routes = new Map<RouteConfiguration, CompiledRoute>();
  for (const configuration of configurations.values()) {
    routes.set(configuration, { configuration, stages: [], inFlight: 0 } as unknown as CompiledRoute);
  }
  const asked: RoutableRequest[] = [];
  const table = {
    routes: [...configurations.values()],
    find: (request: RoutableRequest) => {
      asked.push(request);
      const id = find(request);
      return id === null ? null : (configurations.get(id) ?? null);
    },
  };
  return { asked, choose: chooseRoute(table, routes, null, problems) };
};

/** Requests of one connection whose fields come again. */
const connection = () => {
  const fields = ['Host', 'Shop.example:81', 'X-Tenant', '7'];
  const received = { fields, traits: 0, hostAt: 0, lengthAt: -1, comesAgain: true, goingOn: null };
  const known = new ConnectionHeaderCache({ peerAddress: '127.0.0.1', peerPort: 1, scheme: 'http' }, trusted);
  return (changes: Partial<ClientRequest> = {}): Exchange => {
    const exchange = newExchange({
      headers: fields,
      received: received as unknown as ClientRequest['received'],
      target: '/a/../b?c=d',
      ...changes,
    });
    exchange.request.connection.known = known;
    expect(resolve(exchange)).toBe('continue');
    return exchange;
  };
};

const resolved = ({ target: { path, query, host, authority } }: Exchange) => ({ path, query, host, authority });

it('a target that comes again is resolved as before, and its route is found once', () => {
  const { asked, choose } = routing(() => 'other');
  const begin = connection();
  for (let time = 0; time < 5; time += 1) {
    const exchange = begin();
    void choose(exchange);
    expect(resolved(exchange)).toEqual({
      path: '/b',
      query: 'c=d',
      host: 'shop.example',
      authority: 'Shop.example:81',
    });
    expect(exchange.route?.configuration.id).toBe('other');
    expect(exchange.knownTarget !== null).toBe(time > 0);
  }
  expect(asked.map(({ path, host, method }) => [method, host, path])).toEqual([
    ['GET', 'shop.example', '/b'],
    ['GET', 'shop.example', '/b'],
  ]);
});

it('its route is that of the routes in force', () => {
  const before = routing(() => 'one');
  const after = routing(() => 'other');
  const begin = connection();
  const routeBy = ({ choose }: typeof before): string | undefined => {
    const exchange = begin();
    void choose(exchange);
    return exchange.route?.configuration.id;
  };
  expect([before, before, before, after, after, before, after].map(routeBy)).toEqual([
    'one',
    'one',
    'one',
    'other',
    'other',
    'one',
    'other',
  ]);
});

it('one that no route takes is asked for again, and refused each time', () => {
  const { asked, choose } = routing(() => null);
  const begin = connection();
  for (let time = 0; time < 4; time += 1) {
    const exchange = begin();
    void choose(exchange);
    expect(exchange.outcome.errorType).toBe('no_route');
  }
  expect(asked).toHaveLength(4);
});

it('another method, target or list of fields is another request', () => {
  const { choose } = routing(({ method, path, headers }) =>
    method === 'PUT' || path === '/x' || headers.includes('8') ? 'other' : 'one',
  );
  const begin = connection();
  const routeOf = (changes: Partial<ClientRequest>): string | undefined => {
    const exchange = begin(changes);
    void choose(exchange);
    return exchange.route?.configuration.id;
  };
  const others = [{ method: 'PUT' }, { target: '/x' }, { headers: ['Host', 'Shop.example:81', 'X-Tenant', '8'] }];
  for (const changes of [...others, ...others]) {
    for (let time = 0; time < 3; time += 1) expect(routeOf({})).toBe('one');
    expect(routeOf(changes)).toBe('other');
  }
});

it('one with a host in its target, and one whose fields do not come again, are looked at each time', () => {
  const begin = connection();
  for (let time = 0; time < 4; time += 1) {
    expect(begin({ target: 'http://other.example/b' })).toMatchObject({
      target: { host: 'other.example' },
      knownTarget: null,
    });
    expect(begin({ received: null })).toMatchObject({ target: { host: 'shop.example' }, knownTarget: null });
  }
});
