import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type {
  GatewayConfiguration,
  ListenerConfiguration,
  ListenerTimeouts,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import { type CidrSet, compileCidrs, noCidrs } from '../../../domain/http/cidr-set.js';
import type { OpenListener, RequestHandler, TlsContext } from '../../ports/gateway/http-engine.js';
import { type ListenerPlan, listenerKey } from './listener-registry.js';

/** The addresses that the gateway listens on. */
export interface ListeningAddresses {
  /** By listener name. */
  readonly listeners: ReadonlyMap<string, SocketAddress>;
  readonly admin: SocketAddress | null;
}

/** The listener name of the admin address. */
const adminName = 'admin';

/** The timeouts of the admin address. */
const adminTimeouts: ListenerTimeouts = {
  proxyHeaderMs: 5_000,
  headMs: 60_000,
  bodyMs: 60_000,
  minBodyOctetsPerSecond: 240,
  idleMs: 75_000,
};

/** The `listenerKey` of the admin address; null: no admin block. */
export const adminListenerKey = ({ admin }: GatewayConfiguration): string | null =>
  admin && listenerKey(admin.address, adminName);

/** The keys of all sockets that a configuration listens on. */
export const listenerKeys = (configuration: GatewayConfiguration): ReadonlySet<string> => {
  const keys = new Set(configuration.listeners.map(({ address, name }) => listenerKey(address, name)));
  const admin = adminListenerKey(configuration);
  return admin === null ? keys : keys.add(admin);
};

/** The peers whose connections begin with a PROXY header; null: none. Invalid blocks contain no peer. */
const proxyHeaderSenders = ({ proxyProtocol, trustedProxies }: ListenerConfiguration): CidrSet | null => {
  if (!proxyProtocol) return null;
  const blocks = compileCidrs(trustedProxies);
  return blocks.ok ? blocks.value : noCidrs;
};

/** The listeners of a configuration. `contexts`: by listener name. */
export const wantedListeners = (
  configuration: GatewayConfiguration,
  { proxy, admin }: { readonly proxy: RequestHandler; readonly admin: RequestHandler },
  contexts: ReadonlyMap<string, TlsContext>,
): readonly ListenerPlan[] => {
  const wanted: ListenerPlan[] = configuration.listeners.map((listener) => {
    const { name, address, timeouts, http2 } = listener;
    return {
      key: listenerKey(address, name),
      name,
      address,
      handler: proxy,
      timeouts,
      tls: contexts.get(name) ?? null,
      proxyHeaderFrom: proxyHeaderSenders(listener),
      http2,
    };
  });
  if (configuration.admin) {
    const { address } = configuration.admin;
    wanted.push({
      key: listenerKey(address, adminName),
      name: adminName,
      address,
      handler: admin,
      timeouts: adminTimeouts,
      tls: null,
      proxyHeaderFrom: null,
      http2: false,
    });
  }
  return wanted;
};

/** The actual addresses of a configuration, with the port that the system chose for port 0. */
export const listeningAddresses = (
  configuration: GatewayConfiguration,
  listeners: readonly Pick<OpenListener, 'key' | 'address'>[],
): ListeningAddresses => {
  const open = new Map(listeners.map((listener) => [listener.key, listener.address()]));
  const { listeners: configured, admin } = configuration;
  return {
    listeners: new Map(configured.map(({ name, address }) => [name, open.get(listenerKey(address, name)) ?? address])),
    admin: admin === null ? null : (open.get(listenerKey(admin.address, adminName)) ?? admin.address),
  };
};
