import type { LogFields } from '../../../src/application/ports/shared/logger.js';
import type {
  GatewayConfiguration,
  LimitsConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { CleanUp } from '../shared/clean-up.js';
import { type ClientAnswer, ClientConnection } from './client-connection.js';
import { HeldUpstream } from './held-upstream.js';
import {
  type InProcessGateway,
  type InProcessOptions,
  startInProcess,
  testConfiguration,
  testUpstream,
} from './in-process-gateway.js';
import { plainLimits } from './plain-configurations.js';

export interface LimitedGateway extends InProcessGateway {
  readonly upstream: HeldUpstream;
  readonly configuration: GatewayConfiguration;
  /** A new connection; `from` is its client's own address. */
  client(from?: string): ClientConnection;
  /** What a request on a connection of its own, which is kept, is answered. */
  ask(octets: string): Promise<ClientAnswer>;
  /** Brings the same configuration with these limits into force. */
  reloadLimits(limits: Partial<LimitsConfiguration>): Promise<void>;
}

/** A gateway with these limits in front of a target that answers when the test says so. */
export const startLimited = async (
  cleanUp: CleanUp,
  limits: Partial<LimitsConfiguration>,
  changes: Partial<GatewayConfiguration> = {},
  options: InProcessOptions = {},
): Promise<LimitedGateway> => {
  const upstream = await HeldUpstream.start();
  cleanUp.add(() => upstream.close());
  const configuration = testConfiguration([testUpstream(upstream.port)], {
    limits: { ...plainLimits, ...limits },
    ...changes,
  });
  const gateway = await startInProcess(configuration, options);
  cleanUp.add(() => gateway.stop());
  const client = (from?: string): ClientConnection => {
    const connection = new ClientConnection(gateway.address, from);
    cleanUp.add(() => connection.destroy());
    return connection;
  };
  return {
    ...gateway,
    upstream,
    configuration,
    client,
    ask: (octets) => client().ask(octets),
    reloadLimits: async (changed) => {
      const reloaded = await gateway.reload({ ...configuration, limits: { ...plainLimits, ...changed } });
      if (!reloaded.ok) throw new Error('the limits were not brought into force');
    },
  };
};

/** Believes 127.0.0.1 what it says of its clients, and nobody else. */
export const behindProxy: Partial<GatewayConfiguration> = {
  listeners: testConfiguration([]).listeners.map((listener) => ({ ...listener, trustedProxies: ['127.0.0.1/32'] })),
};

/** What a refusal came to: for the client, in the log and in the metrics. */
export interface Refusal {
  readonly status: number;
  readonly code: unknown;
  readonly retryAfter: string | null;
  /** The answer says that the connection ends with it. */
  readonly closes: boolean;
  /** Of the only WARN line that names a limit. */
  readonly limit_name: unknown;
  readonly limit: unknown;
  readonly actual: unknown;
  readonly client_ip: unknown;
  /** The line has the id that the client was told. */
  readonly isTraced: boolean;
  /** The counters of limits that are not 0, without the label of the instance. */
  readonly counted: Readonly<Record<string, number>>;
}

const limitSample = /^(gateway_(?:header_size|body_size|rate_limit)_exceeded_total|gateway_\w+_limit_reached_total)/;

/** What the gateway has counted of limits since it started. */
export const countedLimits = async (gateway: InProcessGateway): Promise<Readonly<Record<string, number>>> => {
  const counted: Record<string, number> = {};
  for (const line of (await gateway.metrics()).split('\n')) {
    const name = limitSample.exec(line)?.[1];
    const value = Number(line.slice(line.lastIndexOf(' ')));
    if (name === undefined || value === 0) continue;
    const limit = /[{,]limit="([^"]*)"/.exec(line)?.[1];
    counted[limit === undefined ? name : `${name} ${limit}`] = value;
  }
  return counted;
};

/** Lines of the log about limits. */
export const limitLines = ({ logger }: InProcessGateway) =>
  logger.lines.filter(({ level, fields }) => level === 'warn' && 'limit_name' in fields);

/** What the only refusal of this gateway, which was answered so, came to. */
export const refusalOf = async (gateway: InProcessGateway, answer: ClientAnswer): Promise<Refusal> => {
  const { status, headers, body } = answer;
  const problem = JSON.parse(body) as Record<string, unknown>;
  const lines = limitLines(gateway);
  const fields: LogFields = lines[0]?.fields ?? {};
  if (lines.length !== 1) throw new Error(`${lines.length} lines of the log name a limit`);
  return {
    status,
    code: problem['code'],
    retryAfter: headers['retry-after'] ?? null,
    closes: headers['connection'] === 'close',
    limit_name: fields['limit_name'],
    limit: fields['limit'],
    actual: fields['actual'],
    client_ip: fields['client_ip'],
    isTraced: fields['trace_id'] === problem['correlation_id'],
    counted: await countedLimits(gateway),
  };
};

/** The head of a request without a body. */
export const get = (path = '/', ...fields: readonly string[]): string =>
  `GET ${path} HTTP/1.1\r\n${['Host: a', ...fields].join('\r\n')}\r\n\r\n`;

/** A request with a body of so many octets, with its length or in one chunk. */
export const post = (length: number, isChunked = false, path = '/'): string => {
  const body = 'x'.repeat(length);
  const framed = isChunked
    ? `Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    : `Content-Length: ${length}\r\n\r\n${body}`;
  return `POST ${path} HTTP/1.1\r\nHost: a\r\n${framed}`;
};
