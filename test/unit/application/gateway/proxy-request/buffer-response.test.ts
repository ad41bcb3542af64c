import { describe, expect, it } from 'vitest';
import { bufferResponse } from '../../../../../src/application/gateway/proxy-request/buffer-response.js';
import type { UpstreamResponse } from '../../../../../src/application/ports/gateway/upstream-client.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { bodyOctets, ScriptedBody } from '../../../../support/gateway/scripted-body.js';

const responseOf = (body: ScriptedBody | null, headers: readonly string[] = []): UpstreamResponse => ({
  status: 200,
  headers,
  body,
  received: null,
  isBodyLate: true,
  tunnel: null,
});

const hold = (body: ScriptedBody | null, headers: readonly string[] = []) =>
  bufferResponse(newExchange(), responseOf(body, headers), 10);

describe('a response', () => {
  it.each([
    ['below', ['12345', '6789']],
    ['at', ['1234567890']],
  ])('that ends %s the limit is read completely', async (_, pieces) => {
    const body = new ScriptedBody(pieces);
    const held = await hold(body);
    if (held.kind !== 'relay') throw new Error('broken');
    expect([held.isWhole, held.response.isBodyLate, body.reads]).toEqual([true, false, pieces.length + 1]);
    expect((await bodyOctets(held.response.body)).toString()).toBe(pieces.join(''));
    expect(body.reads).toBe(pieces.length + 1);
  });

  it('that exceeds the limit is relayed with the octets that were read, then as it arrives', async () => {
    const body = new ScriptedBody(['1234567890', 'a', 'b', 'c']);
    const held = await hold(body);
    if (held.kind !== 'relay') throw new Error('broken');
    expect([held.isWhole, body.reads]).toEqual([false, 2]);
    expect((await bodyOctets(held.response.body)).toString()).toBe('1234567890abc');
  });

  it('that is interrupted reports the fault before anything is relayed', async () => {
    const held = await hold(new ScriptedBody(['12345', null]));
    expect(held).toMatchObject({ kind: 'broken', fault: { kind: 'upstream', failure: { code: 'unreachable' } } });
  });

  it.each([
    ['declares a greater length', new ScriptedBody(['12345678901'], 11), []],
    ['is an event stream', new ScriptedBody(['data: 1\n\n']), ['Content-Type', 'Text/Event-Stream; charset=utf-8']],
    ['turns buffering off', new ScriptedBody(['1']), ['X-Accel-Buffering', 'no']],
  ])('that %s is not held', async (_, body, headers) => {
    const held = await hold(body, headers);
    expect(held).toMatchObject({ kind: 'relay', isWhole: false, response: { isBodyLate: true, body } });
    expect(body.reads).toBe(0);
  });

  it('without a body is complete at once', async () => {
    expect(await hold(null)).toMatchObject({ kind: 'relay', isWhole: true });
  });
});

it('buffering watches the client while the request body is incomplete', async () => {
  const watched: boolean[] = [];
  const upload = Object.assign(new ScriptedBody([]), { lookAhead: (isWanted: boolean) => void watched.push(isWanted) });
  await bufferResponse(newExchange({ body: upload }), responseOf(new ScriptedBody(['1'])), 10);
  await bufferResponse(newExchange({ body: upload }), responseOf(new ScriptedBody([null])), 10);
  expect(watched).toEqual([true, false, true, false]);
});
