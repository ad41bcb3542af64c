import { afterAll, beforeAll, expect } from 'vitest';
import type { ListenerConfiguration } from '../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { startPassingHaproxy } from '../../../support/gateway/load-balancers.js';
import { fieldOf, type ProxiedGateway, startProxiedGateway } from '../../../support/gateway/proxied-gateway.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { curl } from '../../../support/shared/curl.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';
import { freePort } from '../../../support/shared/free-port.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../../support/shared/peers.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** The address that clients come from; proxies come from 127.0.0.1. */
const clientAddress = '127.0.0.5';

describeWithPeers(['curl'], 'curl with --haproxy-protocol', () => {
  it('is understood', async ({ cleanUp }) => {
    const { port, complaints } = await startProxiedGateway(cleanUp, { trustedProxies: [clientAddress] });
    const url = `http://127.0.0.1:${port}/`;
    const answer = await curl('--haproxy-protocol', '--interface', clientAddress, url);
    expect(answer).toMatchObject({ code: 0, status: 200 });
    expect(fieldOf(answer.body, 'x-forwarded-for')).toEqual([clientAddress]);
    expect(complaints()).toEqual([]);
    expect(await curl('--interface', clientAddress, url)).toMatchObject({ status: 0 });
  });
});

describeWithPeers(['haproxy', 'curl', 'openssl'], 'haproxy in TCP mode', () => {
  const pki = new OpensslCertificates();
  let server: OpensslCertificate;
  beforeAll(() => {
    server = pki.server('server', { by: pki.authority('root'), names: ['DNS:a.example'] });
  });
  afterAll(() => pki.remove());

  const behindHaproxy = async (
    cleanUp: CleanUp,
    serverOptions: string,
    listener: Partial<ListenerConfiguration> = {},
    check = '',
  ): Promise<{ readonly gateway: ProxiedGateway; readonly port: number }> => {
    const gateway = await startProxiedGateway(cleanUp, listener);
    const port = await freePort();
    const haproxy = await startPassingHaproxy(folder, port, gateway.port, serverOptions, check);
    cleanUp.add(() => haproxy.stop());
    return { gateway, port };
  };

  it.for(['send-proxy', 'send-proxy-v2', 'send-proxy-v2 proxy-v2-options crc32c,unique-id'])(
    'names its clients with %s, and passes requests and responses intact',
    async (options, { cleanUp }) => {
      const { gateway, port } = await behindHaproxy(cleanUp, options);
      const body = 'x'.repeat(300_000);
      const file = folder.write('body', body);
      const url = `http://127.0.0.1:${port}/`;
      const answer = await curl('--interface', clientAddress, '--data-binary', `@${file}`, url, url);
      expect(answer.code).toBe(0);
      expect(answer.body.split(body).length - 1).toBe(2);
      expect(gateway.accessRecords.map(({ clientIp }) => clientIp)).toEqual([clientAddress, clientAddress]);
      expect(gateway.complaints()).toEqual([]);
    },
  );

  it('names the clients of TLS that the gateway terminates', async ({ cleanUp }) => {
    const { certificateFile: certFile, keyFile } = server;
    const tls: ListenerConfiguration['tls'] = {
      certificates: [{ certFile, keyFile }],
      clientAuth: 'none',
      caCertFile: null,
      forwardClientCertHeader: null,
      minVersion: '1.2',
    };
    const { gateway, port } = await behindHaproxy(cleanUp, 'send-proxy-v2 proxy-v2-options crc32c', { tls });
    const answer = await curl('--insecure', '--interface', clientAddress, `https://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ code: 0, status: 200 });
    expect(fieldOf(answer.body, 'x-forwarded-for')).toEqual([clientAddress]);
    expect(fieldOf(answer.body, 'x-forwarded-proto')).toEqual(['https']);
    expect(gateway.complaints()).toEqual([]);
  });

  it.for(['send-proxy', 'send-proxy-v2'])(
    'health-checks the gateway without a log line (%s)',
    async (options, { cleanUp }) => {
      const { gateway } = await behindHaproxy(
        cleanUp,
        `${options} check inter 50ms check-send-proxy`,
        {},
        'option httpchk GET /looked-after',
      );
      const looks = () => gateway.accessRecords.filter(({ path }) => path === '/looked-after');
      await eventually(() => looks().length >= 2);
      expect(gateway.complaints()).toEqual([]);
      expect(new Set(looks().map(({ clientIp }) => clientIp))).toEqual(new Set(['127.0.0.1']));
    },
  );
});
