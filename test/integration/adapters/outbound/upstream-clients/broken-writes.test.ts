import { describe, expect } from 'vitest';
import type { UpstreamRequest } from '../../../../../src/application/ports/gateway/upstream-client.js';
import { ScriptedBody } from '../../../../support/gateway/scripted-body.js';
import { startSeparateUpstream } from '../../../../support/gateway/separate-upstream.js';
import { plainUpstreamRequest, targetClient } from '../../../../support/gateway/target-clients.js';
import { it } from '../../../../support/shared/fixtures.js';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('a connection that is reset while the rest of a request is written', () => {
  const others: readonly (readonly [string, Partial<UpstreamRequest>])[] = [
    ['one that may not be repeated', { body: new ScriptedBody(['xy'], 2) }],
    ['a safe one', { method: 'GET' }],
  ];

  it.for(others)('is not given to a waiting %s', async ([_, other], { cleanUp }) => {
    const upstream = await startSeparateUpstream(ok, ok, true);
    cleanUp.add(() => upstream.close());
    const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
    const gives: ((piece: Uint8Array | null) => void)[] = [];
    const pieces = [Buffer.from('aaa')];
    const body = {
      declaredLength: null,
      read: () => pieces.shift() ?? new Promise<Uint8Array | null>((resolve) => gives.push(resolve)),
      trailers: () => [],
      cancel: () => undefined,
    };
    const first = client.send({ ...plainUpstreamRequest, headers: ['Host', 'a', 'Content-Length', '6'], body });
    // The first has the connection once the first of its body is there.
    while (!client.isFull) await null;
    const second = client.send({ ...plainUpstreamRequest, ...other });
    await upstream.answered;
    // All of this goes on before anything is read.
    gives.shift()?.(Buffer.from('aaa'));
    for (let turn = 0; turn < 20; turn += 1) await null;
    expect(gives).toHaveLength(1);
    gives.shift()?.(null);
    expect(await first.response).toMatchObject({ value: { status: 200 } });
    expect(await second.response).toMatchObject({ value: { status: 200 } });
    expect(upstream.connections()).toBe(2);
  });
});
