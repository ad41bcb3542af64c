import { CoreHttpEngine } from '../../../src/adapters/inbound/http-engines/core/core-http-engine.js';
import { NodeListeningSockets } from '../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import type { SocketLayerSelector } from '../../../src/adapters/stream-sockets/socket-layer-selector.js';
import {
  defaultEngineLimits,
  type EngineLimits,
  type ListenerOptions,
  type OpenListener,
  type TlsCertificate,
  type TlsContext,
  type TlsMaterial,
} from '../../../src/application/ports/gateway/http-engine.js';
import type { ListenerTimeouts } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { Secret } from '../../../src/domain/shared/secret.js';
import type { CleanUp } from '../shared/clean-up.js';
import { type OpensslCertificate, pemChain } from '../shared/openssl-certificates.js';
import { plainTimeouts } from './plain-configurations.js';
import { RecordingHandler } from './recording-handler.js';
import { testSocketLayers } from './socket-layers.js';

/** As the engine takes it. */
export const asTlsCertificate = (made: OpensslCertificate): TlsCertificate => ({
  chain: pemChain(made),
  privateKey: new Secret(made.key),
});

export const newEngine = (): CoreHttpEngine => new CoreHttpEngine(new NodeListeningSockets(), testSocketLayers);

/** TLS of these certificates, ready for a listener. It seals session tickets with the keys of `engine`. */
export const preparedTls = (
  identities: readonly OpensslCertificate[],
  changes: Partial<TlsMaterial> = {},
  engine: CoreHttpEngine = newEngine(),
): TlsContext => {
  const prepared = engine.prepareTls({
    certificates: identities.map(asTlsCertificate),
    clientAuth: 'none',
    clientAuthorities: null,
    minVersion: '1.2',
    http2: false,
    ...changes,
  });
  if (!prepared.ok) throw new Error(prepared.error);
  return prepared.value;
};

export interface RecordedListener {
  readonly listener: OpenListener;
  readonly handler: RecordingHandler;
}

/** The real engine on a free port, behind it a handler that keeps what it is told. */
export const recordedListener = async (
  cleanUp: CleanUp,
  tls: TlsContext | null,
  changes: Partial<EngineLimits & ListenerTimeouts & Pick<ListenerOptions, 'proxyHeaderFrom' | 'http2'>> = {},
  layers: SocketLayerSelector = testSocketLayers,
): Promise<RecordedListener> => {
  const handler = new RecordingHandler();
  const address = { host: '127.0.0.1', port: 0 };
  const options = {
    name: 'main',
    limits: { ...defaultEngineLimits, ...changes },
    timeouts: { ...plainTimeouts, ...changes },
    tls,
    proxyHeaderFrom: changes.proxyHeaderFrom ?? null,
    http2: changes.http2 ?? false,
  };
  const listener = await new CoreHttpEngine(new NodeListeningSockets(), layers).bind('main', address, handler, options);
  await listener.listen();
  cleanUp.add(() => listener.drain(0));
  return { listener, handler };
};
