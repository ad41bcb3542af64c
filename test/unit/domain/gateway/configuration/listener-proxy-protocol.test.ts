import { describe, expect, it } from 'vitest';
import { withListener } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const address = 'address "127.0.0.1:8080"';
const trusting = `${address}; trusted-proxies "10.0.0.0/8"`;

const listenerOf = (body: string) => soundConfiguration(withListener(body)).listeners[0];

describe('proxy-protocol of a listener', () => {
  it('is off by default', () => {
    expect(listenerOf(trusting)).toMatchObject({ proxyProtocol: false, timeouts: { proxyHeaderMs: 5_000 } });
    expect(listenerOf(`${address}; proxy-protocol #false`)?.proxyProtocol).toBe(false);
  });

  it('is what was written', () => {
    const listener = listenerOf(`${trusting}; proxy-protocol #true; timeouts { proxy-header-secs 60 }`);
    expect(listener).toMatchObject({ proxyProtocol: true, timeouts: { proxyHeaderMs: 60_000, headMs: 60_000 } });
  });

  it.each([
    [
      `${address}; proxy-protocol #true`,
      'error: "proxy-protocol" needs "trusted-proxies": the sender of a PROXY header can claim any address (write trusted-proxies "10.0.0.0/8", with the addresses of your load balancers)',
    ],
    [`${address}; trusted-proxies #null; proxy-protocol #true`, 'error: "proxy-protocol" needs "trusted-proxies"'],
    [`${trusting}; proxy-protocol "v2"`, 'error: "proxy-protocol" must be #true or #false, not "v2"'],
    [
      `${address}; timeouts { proxy-header-secs 3 }`,
      'error: "proxy-header-secs" has no effect without "proxy-protocol" (write proxy-protocol #true, or delete proxy-header-secs)',
    ],
    [`${trusting}; proxy-protocol #true; timeouts { proxy-header-secs 0 }`, 'from 1 to 60, not 0'],
    [`${trusting}; proxy-protocol #true; timeouts { proxy-header-secs 61 }`, 'from 1 to 60, not 61'],
  ])('is refused: %s', (body, message) => {
    const found = problemsOf(withListener(body));
    expect(
      found.some((one) => one.includes(message)),
      found.join('\n'),
    ).toBe(true);
  });
});
