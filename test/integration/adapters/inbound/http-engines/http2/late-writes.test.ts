import { expect } from 'vitest';
import { deferWrite } from '../../../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { getRequest } from '../../../../../support/gateway/http2-frames.js';
import { RawHttp2Client } from '../../../../../support/gateway/raw-http2-client.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { passTime } from '../../../../../support/shared/loop-turns.js';

it('are sent between the requests of one HTTP/2 read once they have waited for long', async ({ cleanUp }) => {
  const { listener, handler } = await recordedListener(cleanUp, null, { http2: true });
  const order: string[] = [];
  const answer = handler.handle.bind(handler);
  handler.handle = (request, response) => {
    answer(request, response);
    const { length } = handler.requests;
    order.push(`request ${length}`);
    deferWrite({ writeNow: () => order.push(`write ${length}`) });
    passTime();
  };
  const client = new RawHttp2Client(listener.address());
  cleanUp.add(() => client.socket.destroy());
  client.send(Buffer.concat([getRequest(1), getRequest(3), getRequest(5)]));
  await eventually(() => order.length === 6);
  expect(order).toEqual(['request 1', 'write 1', 'request 2', 'write 2', 'request 3', 'write 3']);
});
