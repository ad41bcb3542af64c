import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { defaultMetadataLimits } from '../../../../../src/adapters/outbound/undici-documents/document-request.js';
import { UndiciMetadataSource } from '../../../../../src/adapters/outbound/undici-documents/undici-metadata-source.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { metadataSamples } from '../../../../support/agent/identity-provider-metadata.js';
import { type RawAnswer, startRawUpstream } from '../../../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const serving = async (cleanUp: CleanUp, answer: RawAnswer) => {
  const upstream = await startRawUpstream(answer);
  cleanUp.add(() => upstream.close());
  return { upstream, url: `http://127.0.0.1:${upstream.port}/FederationMetadata.xml?appid=portal` };
};
const whole = (body: string | Buffer, fields = '', status = '200 OK'): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${fields}\r\n`),
    Buffer.from(body),
  ]);

const source = new UndiciMetadataSource();

describe('metadata over HTTP', () => {
  it.for(metadataSamples)('is returned as $product wrote it', async ({ text }, { cleanUp }) => {
    const { upstream, url } = await serving(cleanUp, (socket) =>
      socket.write(whole(text, 'Content-Type: application/samlmetadata+xml\r\n')),
    );
    expect(await source.fetch(url, neverCancelled)).toEqual({ ok: true, value: text });
    const [head = ''] = upstream.heads;
    expect(head).toMatch(/^GET \/FederationMetadata\.xml\?appid=portal HTTP\/1\.1\r\n/);
    expect(head.toLowerCase()).toMatch(/\r\naccept: application\/samlmetadata\+xml/);
    expect(head.toLowerCase()).not.toMatch(/\r\n(authorization|cookie):/);
  });

  it('is returned without a byte order mark', async ({ cleanUp }) => {
    const { url } = await serving(cleanUp, (socket) => socket.write(whole('\ufeff<a/>')));
    expect(await source.fetch(url, neverCancelled)).toEqual({ ok: true, value: '<a/>' });
  });

  it('may be as large as that of a federation, but not larger', async ({ cleanUp }) => {
    const limit = defaultMetadataLimits.bodyOctets;
    expect(limit).toBe(4 * 1024 * 1024);
    const sizes = [limit, limit + 1];
    const { url } = await serving(cleanUp, (socket, _, turn) =>
      socket.write(whole(Buffer.alloc(sizes[turn] ?? 0, 'x'))),
    );
    expect(await source.fetch(url, neverCancelled)).toMatchObject({ ok: true });
    expect(await source.fetch(url, neverCancelled)).toMatchObject({ ok: false, error: { code: 'too_large' } });
  });

  it.for<[string, Buffer, string]>([
    ['that is missing', whole('no', '', '404 Not Found'), 'bad_status'],
    ['that is elsewhere', whole('', 'Location: https://id.example/\r\n', '302 Found'), 'bad_status'],
    ['that is compressed', whole(gzipSync('<a/>'), 'Content-Encoding: gzip\r\n'), 'malformed'],
    ['in another encoding', whole(Buffer.from('<a>\xe9</a>', 'latin1')), 'malformed'],
    ['in UTF-16', whole(Buffer.from('\ufeff<a>\u00e9</a>', 'utf16le')), 'malformed'],
  ])('is refused %s', async ([_, answer, code], { cleanUp }) => {
    const { url } = await serving(cleanUp, (socket) => socket.write(answer));
    expect(await source.fetch(url, neverCancelled)).toMatchObject({ ok: false, error: { code } });
  });

  it('has a timeout for the complete response', async ({ cleanUp }) => {
    const { url } = await serving(cleanUp, (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<a>'),
    );
    const hasty = new UndiciMetadataSource({ ...defaultMetadataLimits, answerMs: 200 });
    expect(await hasty.fetch(url, neverCancelled)).toMatchObject({ ok: false, error: { code: 'timed_out' } });
  });

  it('is aborted when the fetch is cancelled', async ({ cleanUp }) => {
    const cancellation = new CancellationSource();
    const { url } = await serving(cleanUp, () => cancellation.cancel());
    expect(await source.fetch(url, cancellation)).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });
});
