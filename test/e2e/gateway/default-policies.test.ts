import { describe, expect } from 'vitest';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { answersOfEach, ofEachWorker, startWorkerStack } from '../../support/shared/worker-stack.js';

const defaults = (version: string): string => `defaults { policies {
  request-headers { set { "X-Edge" "${version}"; "X-Address" "{client_ip}" } }
  response-headers { set { "X-Version" "${version}" } }
} }`;

describe('default policies with two workers', () => {
  it('hold in each worker, for malformed requests too, and change with a reload', async ({ cleanUp }) => {
    const stack = await startWorkerStack(cleanUp, { blocks: defaults('one') });
    const versions = async (path: string) =>
      (await answersOfEach(stack, { path })).map(({ status, headers }) => [status, headers['x-version']]);
    expect(await versions('/x')).toEqual([
      [200, 'one'],
      [200, 'one'],
    ]);
    const received = stack.upstream.received.map((request) => [
      valuesOf(request, 'x-edge'),
      valuesOf(request, 'x-address'),
    ]);
    expect(received.at(-1)).toEqual([['one'], ['127.0.0.1']]);
    const malformed = await ofEachWorker(stack, () =>
      rawExchange({ host: '127.0.0.1', port: stack.port }, 'nonsense\r\n\r\n'),
    );
    expect(malformed.map(({ status, headers }) => [status, headers['x-version']])).toEqual([
      [400, 'one'],
      [400, 'one'],
    ]);
    stack.rewrite({ blocks: defaults('two') });
    await stack.reload();
    expect(await versions('/health')).toEqual([
      [200, 'two'],
      [200, 'two'],
    ]);
  });
});

describe('a header rule for a header that only the flags of an agent name', () => {
  it('holds until the agent connects and declares the header, then is skipped with one line', async ({ cleanUp }) => {
    const stack = await startStack(cleanUp, {
      transport: 'socket',
      startAgent: false,
      agentArguments: ['--user-id-header', 'X-Corp-User', '--api-keys', 'good-key:alice'],
      routes:
        'route "open" { priority 900; matches { path-prefix "/open" }; upstream "back"; agents #null; policies { request-headers { set { "x_corp_user" "admin" } } } }',
    });
    const forged = async (): Promise<readonly string[]> => {
      await stack.ask({ path: '/open', headers: { 'X-Corp-User': 'mallory' } });
      const request = stack.upstream.received.at(-1);
      return request === undefined ? [] : [...valuesOf(request, 'x-corp-user'), ...valuesOf(request, 'x_corp_user')];
    };
    expect(await forged()).toEqual(['admin']);
    stack.restartAgent();
    await stack.agentsPresent();
    await untilTrue('the agent has declared its headers', async () => (await forged()).length === 0);
    const skipped = /a header rule is skipped: an agent declares the header as its own/g;
    const output = await stack.gateway.wrote(skipped);
    await forged();
    expect(output).toContain('request-headers { set \\"x_corp_user\\" }');
    expect((await stack.gateway.wrote(skipped)).match(skipped)).toHaveLength(1);
  });
});
