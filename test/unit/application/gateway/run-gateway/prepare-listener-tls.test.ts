import { beforeEach, describe, expect, it } from 'vitest';
import { prepareListenerTls } from '../../../../../src/application/gateway/run-gateway/prepare-listener-tls.js';
import type { TextFileReader } from '../../../../../src/application/ports/shared/text-file-reader.js';
import type {
  ListenerConfiguration,
  TlsConfiguration,
} from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { FakeHttpEngine } from '../../../../support/gateway/fake-http-engine.js';
import { plainTimeouts } from '../../../../support/gateway/plain-configurations.js';

const files: TextFileReader = {
  read: async (path) => (path.startsWith('/gone') ? err('cannot be read: it does not exist') : ok(path.slice(1))),
};

const listener = (name: string, tls: Partial<TlsConfiguration> | null): ListenerConfiguration => ({
  name,
  address: { host: '127.0.0.1', port: 8443 },
  timeouts: plainTimeouts,
  tls: tls && {
    certificates: [{ certFile: '/cert', keyFile: '/key' }],
    clientAuth: 'none',
    caCertFile: null,
    forwardClientCertHeader: null,
    minVersion: '1.2',
    ...tls,
  },
  trustedProxies: [],
  proxyProtocol: false,
  acceptClientCertHeader: null,
  http2: false,
});

let engine: FakeHttpEngine;
beforeEach(() => {
  engine = new FakeHttpEngine();
});

const prepared = (...listeners: readonly ListenerConfiguration[]) => prepareListenerTls(listeners, { engine, files });
const errorsOf = async (...listeners: readonly ListenerConfiguration[]) => {
  const outcome = await prepared(...listeners);
  return outcome.ok ? [] : outcome.error;
};

describe('preparing the TLS of listeners', () => {
  it('passes the file texts to the engine, and skips listeners without TLS', async () => {
    const pairs = [
      { certFile: '/cert', keyFile: '/key' },
      { certFile: '/cert2', keyFile: '/key2' },
    ];
    const tls = { certificates: pairs, clientAuth: 'require', caCertFile: '/ca', minVersion: '1.3' } as const;
    const outcome = await prepared(listener('plain', null), listener('secure', tls));
    if (!outcome.ok) throw new Error(outcome.error.join());
    expect([...outcome.value.contexts.keys()]).toEqual(['secure']);
    const [material] = engine.asked;
    expect(material).toMatchObject({ clientAuth: 'require', clientAuthorities: 'ca', minVersion: '1.3' });
    expect(material?.certificates.map(({ chain, privateKey }) => [chain, privateKey.reveal()])).toEqual([
      ['cert', 'key'],
      ['cert2', 'key2'],
    ]);
  });

  it('names the listener in every warning', async () => {
    const old = { certificates: [{ certFile: '/old', keyFile: '/key' }] };
    const outcome = await prepared(listener('a', {}), listener('b', old));
    expect(outcome).toMatchObject({ ok: true, value: { warnings: ['listener "b": it has expired'] } });
  });

  it('reads all files before it fails, and does not pass incomplete settings to the engine', async () => {
    const gone = { certificates: [{ certFile: '/gone.pem', keyFile: '/gone.key' }], caCertFile: '/gone.ca' };
    expect(await errorsOf(listener('a', gone), listener('b', { caCertFile: '/gone' }))).toEqual([
      'listener "a": cert-file: the file /gone.pem cannot be read: it does not exist',
      'listener "a": key-file: the file /gone.key cannot be read: it does not exist',
      'listener "a": ca-cert-file: the file /gone.ca cannot be read: it does not exist',
      'listener "b": ca-cert-file: the file /gone cannot be read: it does not exist',
    ]);
    expect(engine.asked).toEqual([]);
  });

  it('names the files of each pair that the engine refuses', async () => {
    const certificates = [
      { certFile: '/bad1', keyFile: '/key1' },
      { certFile: '/cert2', keyFile: '/key2' },
      { certFile: '/cert3', keyFile: '/bad3' },
    ];
    expect(await errorsOf(listener('a', { certificates }))).toEqual([
      'listener "a": cert-file /bad1 with key-file /key1: they do not fit',
      'listener "a": cert-file /cert3 with key-file /bad3: they do not fit',
    ]);
  });

  it('names the file of the authorities if the engine refuses them', async () => {
    expect(await errorsOf(listener('a', { clientAuth: 'request', caCertFile: '/bad.ca' }))).toEqual([
      'listener "a": ca-cert-file /bad.ca: they are no authorities',
    ]);
  });

  it('returns no contexts if one listener fails', async () => {
    const bad = { certificates: [{ certFile: '/bad', keyFile: '/key' }] };
    expect(await prepared(listener('a', {}), listener('b', bad))).toMatchObject({ ok: false });
  });
});
