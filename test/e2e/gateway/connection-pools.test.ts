import { request } from 'node:http';
import { expect } from 'vitest';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { startStack, untilTrue } from '../../support/shared/gateway-stack.js';

const it = baseIt
  .extend('stack', { scope: 'file' }, ({ fileCleanUp }) =>
    startStack(fileCleanUp, { blocks: 'limits { max-connections-per-client 1000 }' }),
  )
  // Opens streams from the upstream's `/events` that do not end before the test.
  .extend('openStreams', ({ stack, cleanUp }) => {
    stack.upstream.reset();
    const { answer } = stack.upstream;
    let open = 0;
    stack.upstream.answer = (received, response) => {
      if (received.url !== '/events') {
        answer(received, response);
        return;
      }
      open += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
    };
    return async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        const stream = request({ host: '127.0.0.1', port: stack.port, path: '/events', agent: false });
        stream.on('error', () => undefined);
        stream.end();
        cleanUp.add(() => void stream.destroy());
      }
      await untilTrue('the streams are open', () => open >= count);
    };
  });

it('serves other requests beside two hundred event streams to one target', async ({ stack, openStreams }) => {
  await openStreams(200);
  expect((await stack.ask({ path: '/small' })).status).toBe(200);
  expect(await stack.metric('gateway_connection_pool_exhausted_total', 'upstream="back"')).toBe(0);
});

it('logs and counts requests that find the pool full', async ({ stack, openStreams }) => {
  stack.rewrite({ upstreamMembers: 'connection-pool { max-connections 3 }; timeouts { request-secs 1 }' });
  await stack.reload();
  await openStreams(3);
  const answers = await Promise.all(Array.from({ length: 4 }, () => stack.ask({ path: '/small' })));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  expect(await stack.metric('gateway_connection_pool_exhausted_total', 'upstream="back"')).toBe(4);
  const lines = stack.gateway.output().match(/every connection to a target is busy/g) ?? [];
  expect(lines).toHaveLength(1);
});
