import { describe, expect } from 'vitest';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';
import { startHttp2Upstream } from '../../../../support/gateway/http2-upstream.js';
import { startRawUpstream } from '../../../../support/gateway/raw-upstream.js';
import { bodyOctets } from '../../../../support/gateway/scripted-body.js';
import { plainUpstreamRequest, targetClient } from '../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';

const startHttp1 = async (cleanUp: CleanUp, isAnswered = true): Promise<number> => {
  const upstream = await startRawUpstream((socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nlink: </b>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n');
    if (isAnswered) socket.write('HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nmade');
  });
  cleanUp.add(() => upstream.close());
  return upstream.port;
};

const startHttp2 = async (cleanUp: CleanUp, isAnswered = true): Promise<number> => {
  const { port } = await startHttp2Upstream(cleanUp, (stream) => {
    stream.additionalHeaders({ ':status': 103, link: ['</a>', '</b>'] });
    stream.additionalHeaders({ ':status': 102 });
    stream.on('error', () => undefined);
    if (!isAnswered) return;
    stream.respond({ ':status': 201 });
    stream.end('made');
  });
  return port;
};

describe.each([
  ['HTTP/1.1', startHttp1, { httpVersion: '1.1' }],
  ['HTTP/2', startHttp2, { httpVersion: '2' }],
] as const)('the sender of a request (%s)', (_, start, changes) => {
  it('gets interim responses with their fields, in order', async ({ cleanUp }) => {
    const told: unknown[] = [];
    const informed = (status: number, headers: HeaderList): void => {
      told.push(
        status,
        headers.map((text) => text.toLowerCase()),
      );
    };
    const exchange = targetClient(await start(cleanUp), cleanUp, changes).send({
      ...plainUpstreamRequest,
      method: 'GET',
      informed,
    });
    const outcome = await exchange.response;
    if (!outcome.ok) throw new Error(outcome.error.detail);
    const { status, body } = outcome.value;
    told.push(status);
    expect(told).toEqual([103, ['link', '</a>', 'link', '</b>'], 102, [], 201]);
    expect((await bodyOctets(body)).toString()).toBe('made');
  });

  it('may cancel on one', async ({ cleanUp }) => {
    const told: number[] = [];
    const exchange = targetClient(await start(cleanUp, false), cleanUp, changes).send({
      ...plainUpstreamRequest,
      method: 'GET',
      informed: (status) => {
        told.push(status);
        exchange.cancel();
      },
    });
    expect(await exchange.response).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(told[0]).toBe(103);
  });
});
