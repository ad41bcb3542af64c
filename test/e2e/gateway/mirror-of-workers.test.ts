import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { startWorkerStack } from '../../support/shared/worker-stack.js';

it('has at most 100 copies under way over two workers, and uses all of them', async ({ cleanUp }) => {
  const held = new Set<ServerResponse>();
  let most = 0;
  const shadow = await startHttpUpstream((_, response) => {
    held.add(response);
    most = Math.max(most, held.size);
    response.on('close', () => held.delete(response));
  });
  cleanUp.add(() => shadow.close());
  const stack = await startWorkerStack(cleanUp, {
    routes: 'route "copied" { priority 60; matches { path-prefix "/c" }; upstream "back"; mirror "shadow" }',
    blocks: `upstreams { upstream "shadow" { target "127.0.0.1:${shadow.port}"; timeouts { request-secs 60 } } }`,
  });
  const result = (name: string): Promise<number> => stack.metric('gateway_mirror_requests_total', `result="${name}"`);
  let sent = 0;
  // Each request has a connection of its own, which either worker may accept.
  await untilTrue('all slots are taken', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => stack.ask({ path: '/c', method: 'POST', body: 'abc' })),
    );
    sent += answers.length;
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    return held.size === 100;
  });
  for (let count = 0; count < 30; count += 1) expect((await stack.ask({ path: '/c' })).status).toBe(200);
  sent += 30;
  await untilTrue('every other copy is dropped', async () => (await result('dropped')) === sent - 100);
  expect(most).toBe(100);
  for (const response of held) response.end('late');
  await untilTrue('the copies have ended', async () => (await result('answered')) === 100);
  await untilTrue('copies are sent again', async () => {
    await stack.ask({ path: '/c' });
    for (const response of held) response.end();
    return (await result('answered')) > 100;
  });
  expect(most).toBe(100);
});
