import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { describe, expect } from 'vitest';
import { it } from '../../support/shared/fixtures.js';
import { startStack } from '../../support/shared/gateway-stack.js';
import { forgetPeak, peakResidentBytes, residentBytes } from '../../support/shared/process-memory.js';

const streamOctets = 1_000_000_000;
const maxExtraOctets = 64 * 1024 * 1024;
const timeoutMs = 400_000;

/** Lines of JSON that differ, so that they shrink as real ones do. */
const piece = Buffer.from(
  Array.from({ length: 1_200 }, (_, id) =>
    JSON.stringify({ id: (id * 7_919) % 100_003, mail: `u${(id * 31) % 977}@example.org`, score: Math.sin(id) }),
  ).join('\n'),
);

describe('a stream of 1 GB', () => {
  it.for(['gzip', 'br'] as const)(
    'in %s passes through at most 64 MB of extra memory',
    { timeout: timeoutMs },
    async (coding, { cleanUp }) => {
      const stack = await startStack(cleanUp, {
        routes: 'route "zip" { matches { path-prefix "/zip" }; upstream "back"; policies { compress { } } }',
      });
      const expected = createHash('sha256');
      stack.upstream.answer = (asked, response) => {
        response.setHeader('Content-Type', 'text/plain');
        if (asked.url !== '/zip/large') {
          response.end(piece);
          return;
        }
        let sent = 0;
        const go = (): void => {
          while (sent < streamOctets) {
            sent += piece.length;
            expected.update(piece);
            if (!response.write(piece)) {
              response.once('drain', go);
              return;
            }
          }
          response.end();
        };
        go();
      };
      const get = async (path: string): Promise<IncomingMessage> => {
        const headers = { 'Accept-Encoding': coding };
        const sent = request({ host: '127.0.0.1', port: stack.port, path, headers, agent: false });
        sent.end();
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        return response;
      };
      for (let count = 0; count < 100; count += 1) await once((await get('/zip/small')).resume(), 'end');
      const { pid } = stack.gateway;
      forgetPeak(pid);
      const before = residentBytes(pid);
      const response = await get('/zip/large');
      expect(response.headers['content-encoding']).toBe(coding);
      const received = createHash('sha256');
      const reader = response.pipe(coding === 'br' ? createBrotliDecompress() : createGunzip());
      reader.on('data', (part: Buffer) => received.update(part));
      await once(reader, 'end');
      expect(received.digest('hex')).toBe(expected.digest('hex'));
      expect(peakResidentBytes(pid) - before).toBeLessThan(maxExtraOctets);
    },
  );
});
