import { describe, expect, it } from 'vitest';
import { AgentEndpoints } from '../../../../../src/application/agent/agent-service/agent-endpoints.js';
import { FakeAgentEndpoint } from '../../../../support/agent/fake-agent-endpoint.js';

const signOn = new FakeAgentEndpoint('sign-on', ['/saml/acs', '/saml/metadata']);
const exchange = new FakeAgentEndpoint('exchange', ['/token/exchange', '/.well-known/oauth-authorization-server']);
const endpoints = new AgentEndpoints([signOn, exchange]);

describe('the endpoints of an agent', () => {
  it.each([
    ['/saml/acs', signOn],
    ['/saml/metadata?x=1', signOn],
    ['/token/exchange', exchange],
    ['/token/exchange?', exchange],
    ['/token/exchange?a=/saml/acs', exchange],
    ['/.well-known/oauth-authorization-server', exchange],
    ['/token//exchange', exchange],
    ['/token/./x/../exchange', exchange],
    ['/%74oken/exchange', exchange],
  ])('match by path: %s', (uri, endpoint) => {
    expect(endpoints.at(endpoints.pathOf(uri))).toBe(endpoint);
  });

  it.each([
    '/',
    '/token',
    '/token/exchange/',
    '/token/exchange/more',
    '/TOKEN/exchange',
    '/token/exchange;x',
    '/token%2Fexchange',
    '/token%00/exchange',
    '/token/..;/exchange',
    'token/exchange',
    '*',
    '',
    '/orders?/token/exchange',
    '/__proto__',
  ])('do not match: %s', (uri) => {
    expect(endpoints.at(endpoints.pathOf(uri))).toBeNull();
  });

  it('can be empty', () => {
    expect(new AgentEndpoints([]).at('/token/exchange')).toBeNull();
  });

  it.each([
    ['/orders', '/orders'],
    ['/a/../orders?x=/y', '/orders'],
    ['/%74oken//a', '/token/a'],
    ['/a%2Fb', null],
    ['orders', null],
  ])('give the path for the decision: %s', (uri, path) => {
    expect(endpoints.pathOf(uri)).toBe(path);
  });

  it('skip path matching if none are configured', () => {
    const uri = { indexOf: () => expect.unreachable('it was read') } as unknown as string;
    expect(new AgentEndpoints([]).pathOf(uri)).toBeNull();
  });
});
