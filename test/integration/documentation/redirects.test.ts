import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { mainExample, tableOf } from '../../support/shared/documentation-examples.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import type { HttpAnswer } from '../../support/shared/http-call.js';
import { OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const page = 'docs/guides/redirects.md';

const it = baseIt.extend('gateway', { scope: 'file' }, async ({ fileCleanUp: cleanUp }) => {
  const folder = temporaryFolder();
  const pki = new OpensslCertificates();
  cleanUp.add(() => folder.remove());
  cleanUp.add(() => pki.remove());
  const { certificate, key } = pki.server('example.com', { names: ['DNS:example.com'] });
  const texts = {
    '/etc/portcullis/example.com.pem': folder.write('example.com.pem', certificate),
    '/etc/portcullis/example.com.key': folder.write('example.com.key', key),
  };
  const upstream = new RecordingUpstream((_request, response) => response.end('from the upstream'));
  const port = await upstream.listen();
  cleanUp.add(() => upstream.close());
  return startDocumented(cleanUp, mainExample(page), { ports: { 3001: port, 3002: port }, texts });
});

const ask = (gateway: DocumentedGateway, url: string): Promise<HttpAnswer> => {
  const { protocol, host, pathname, search } = new URL(url);
  const call = { path: pathname + search, headers: { Host: host } };
  return protocol === 'https:'
    ? gateway.ask(443, { ...call, tls: { rejectUnauthorized: false } })
    : gateway.ask(80, call);
};

describe('the guide to redirects', () => {
  it('shows what each request gets', async ({ gateway }) => {
    const rows = tableOf(page, ['Request', 'Status', '`Location` or body']);
    expect(rows.length).toBeGreaterThan(4);
    for (const [request = '', status = '', expected = ''] of rows) {
      const answer = await ask(gateway, request.replace('GET ', ''));
      expect([request, answer.status]).toEqual([request, Number(status)]);
      const shown = expected.startsWith('from') ? 'from the upstream' : expected.replace(/^`([^`]*)`.*$/, '$1');
      expect(answer.headers['location'] ?? answer.body).toContain(shown);
    }
  });

  it('leaves nothing on http beside the redirect', async ({ gateway }) => {
    for (const path of ['/', '/shop', '/robots.txt', '/site/x?y']) {
      const { status, headers } = await ask(gateway, `http://example.com${path}`);
      expect([status, headers['location']]).toEqual([308, `https://example.com${path}`]);
    }
  });
});
