import type { ClientHttp2Stream } from 'node:http2';
import type { ProbedTarget } from '../../../application/ports/gateway/health-prober.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type HttpProbe, maximumBodyBytes } from './http-probe.js';
import { checkByHttp2 } from './http2-check.js';

const read = (
  stream: ClientHttp2Stream,
  expectedStatuses: readonly number[],
  settle: (result: Result<void, string>) => void,
): void => {
  let octets = 0;
  stream.on('response', (headers) => {
    const status = headers[':status'] ?? 0;
    if (!expectedStatuses.includes(status)) settle(err(`status ${status}`));
  });
  stream.on('data', (piece: Buffer) => {
    octets += piece.length;
    if (octets > maximumBodyBytes) settle(ok(undefined));
  });
  stream.on('end', () => {
    // A stream that was cut off ends too.
    const isWhole = stream.rstCode === 0 && stream.session?.destroyed === false;
    settle(isWhole ? ok(undefined) : err('connection lost'));
  });
};

/** What `probeHttp` asks, over HTTP/2 with prior knowledge (RFC 9113, section 3.3). */
export const probeHttp2 = (
  { address, authority }: ProbedTarget,
  { path, expectedStatuses, host }: HttpProbe,
  timeoutMs: number,
): Promise<Result<void, string>> =>
  checkByHttp2(
    address,
    {
      send: (session) =>
        session.request(
          {
            ':method': 'GET',
            ':scheme': 'http',
            ':path': path,
            ':authority': host ?? authority,
            accept: '*/*',
            'user-agent': 'portcullis-health-check',
          },
          { endStream: true },
        ),
      read: (stream, settle) => read(stream, expectedStatuses, settle),
    },
    timeoutMs,
  );
