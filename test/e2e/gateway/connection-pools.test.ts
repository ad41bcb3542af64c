import { request } from 'node:http';
import { expect } from 'vitest';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { startStack, untilTrue } from '../../support/shared/gateway-stack.js';

/** A stack whose upstream answers `/events` with a stream that does not end. */
const start = async (cleanUp: CleanUp, upstreamMembers = '') => {
  const stack = await startStack(cleanUp, { upstreamMembers, blocks: 'limits { max-connections-per-client 1000 }' });
  const answer = stack.upstream.answer;
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
  const openStreams = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const stream = request({ host: '127.0.0.1', port: stack.port, path: '/events', agent: false });
      stream.on('error', () => undefined);
      stream.end();
      cleanUp.add(() => void stream.destroy());
    }
    await untilTrue('the streams are open', () => open >= count);
  };
  return { stack, openStreams };
};

it('two hundred event streams to one target leave room for other requests', async ({ cleanUp }) => {
  const { stack, openStreams } = await start(cleanUp);
  await openStreams(200);
  expect((await stack.ask({ path: '/small' })).status).toBe(200);
  expect(await stack.metric('gateway_connection_pool_exhausted_total', 'upstream="back"')).toBe(0);
});

it('a full pool shows in the log and in a metric', async ({ cleanUp }) => {
  const { stack, openStreams } = await start(
    cleanUp,
    'connection-pool { max-connections 3 }; timeouts { request-secs 1 }',
  );
  await openStreams(3);
  const answers = await Promise.all(Array.from({ length: 4 }, () => stack.ask({ path: '/small' })));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  expect(await stack.metric('gateway_connection_pool_exhausted_total', 'upstream="back"')).toBe(4);
  const lines = stack.gateway.output().match(/every connection to a target is busy/g) ?? [];
  expect(lines).toHaveLength(1);
});
