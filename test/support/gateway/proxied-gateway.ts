import type {
  GatewayConfiguration,
  ListenerConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { CleanUp } from '../shared/clean-up.js';
import { type Echo, echo, startHttpUpstream } from './http-upstream.js';
import { type InProcessGateway, startInProcess, testConfiguration, testUpstream } from './in-process-gateway.js';
import { plainTimeouts } from './plain-configurations.js';

export interface ProxiedGateway extends InProcessGateway {
  readonly port: number;
  readonly configuration: GatewayConfiguration;
  /** Messages of warnings and errors, with what they say. */
  complaints(): readonly (readonly [string, object])[];
}

export const proxiedListener = (changes: Partial<ListenerConfiguration> = {}): ListenerConfiguration => ({
  name: 'main',
  address: { host: '127.0.0.1', port: 0 },
  tls: null,
  trustedProxies: ['127.0.0.1'],
  proxyProtocol: true,
  acceptClientCertHeader: null,
  http2: false,
  timeouts: plainTimeouts,
  ...changes,
});

/** A gateway in front of an echo whose one listener takes PROXY headers from 127.0.0.1. */
export const startProxiedGateway = async (
  cleanUp: CleanUp,
  listener: Partial<ListenerConfiguration> = {},
  changes: Partial<GatewayConfiguration> = {},
): Promise<ProxiedGateway> => {
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  const listeners = [proxiedListener(listener)];
  const configuration = testConfiguration([testUpstream(upstream.port)], { listeners, ...changes });
  const gateway = await startInProcess(configuration);
  cleanUp.add(() => gateway.stop());
  return {
    ...gateway,
    configuration,
    port: gateway.address.port,
    complaints: () =>
      gateway.logger.lines
        .filter(({ level }) => level === 'warn' || level === 'error')
        .map(({ message, fields }) => [message, fields]),
  };
};

/** What the upstream got under a name, in lower case. */
export const fieldOf = (text: string, name: string): readonly string[] => {
  const { rawHeaders } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Echo;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
};
