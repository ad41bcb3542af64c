import { describe, expect } from 'vitest';
import type { ClientResponse } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import { coreClient } from '../../../../../support/gateway/core-client.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

/** Writes pieces to a client that reads all of them, or none; gives those that came back. */
const written = async (cleanUp: CleanUp, fields: readonly string[], octets: number, pieces: number, reads: boolean) => {
  const { handler, listener } = await recordedListener(cleanUp, null);
  const back: Uint8Array[] = [];
  const given: Uint8Array[] = [];
  const origin = { reuse: (piece: Uint8Array) => void back.push(piece) };
  const answer = async (response: ClientResponse): Promise<void> => {
    response.begin(200, fields, false);
    for (let at = 0; at < pieces; at += 1) {
      const piece = Buffer.alloc(octets, 'x');
      given.push(piece);
      const writable = response.write(piece, origin);
      if (reads) await writable;
    }
    response.end([]);
  };
  handler.handle = (_request, response) => void answer(response);
  const client = coreClient(cleanUp, listener);
  if (!reads) client.socket.pause();
  client.send('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await eventually(() => given.length === pieces);
  if (reads) await client.closed();
  return { given, back, text: client.text };
};

describe('a written chunk buffer', () => {
  it.for([
    ['of a small response', ['Content-Length', '1000'], 1_000, 1],
    ['of a large response', ['Content-Length', '65536'], 65_536, 1],
    ['of a large chunk', [], 65_536, 1],
  ] as const)(
    '%s is released once, when the system has all of it',
    async ([_, fields, octets, pieces], { cleanUp }) => {
      const { given, back, text } = await written(cleanUp, fields, octets, pieces, true);
      expect(back).toEqual(given);
      expect(back[0]).toBe(given[0]);
      expect(text.match(/x/g)).toHaveLength(octets);
    },
  );

  it('is not released before the system takes it', async ({ cleanUp }) => {
    const octets = 8_388_608;
    const { given, back } = await written(cleanUp, ['Content-Length', String(octets * 3)], octets, 3, false);
    expect(given).toHaveLength(3);
    expect(back).toEqual([]);
  });
});
