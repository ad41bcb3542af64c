import type { RequestListener } from 'node:http';
import type {
  GatewayConfiguration,
  RouteConfiguration,
  UpstreamConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { MirrorResult, MirrorRules } from '../../../src/domain/gateway/route-transforms/mirror.js';
import type { CleanUp } from '../shared/clean-up.js';
import { type AgentPlan, type GatewayWithAgents, startGatewayWithAgents } from '../shared/gateway-with-agents.js';
import { type Echo, echo, startHttpUpstream } from './http-upstream.js';
import { testConfiguration, testRoute, testUpstream } from './in-process-gateway.js';

/** A real upstream that keeps the requests it got whole. */
export interface EchoingUpstream {
  readonly port: number;
  readonly received: readonly Echo[];
}

/** The fields of a received request with this name. */
export const fieldsOf = ({ rawHeaders }: Echo, name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name.toLowerCase());

/** The names of a received request's fields, in lower case and sorted. */
export const fieldNamesOf = ({ rawHeaders }: Echo): readonly string[] =>
  rawHeaders
    .filter((_, index) => index % 2 === 0)
    .map((name) => name.toLowerCase())
    .sort();

export const startEchoing = async (cleanUp: CleanUp): Promise<EchoingUpstream> => {
  const received: Echo[] = [];
  const upstream = await startHttpUpstream((request, response) => {
    const pieces: Buffer[] = [];
    const { method = '', url = '', rawHeaders } = request;
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => received.push({ method, url, rawHeaders, body: Buffer.concat(pieces).toString('latin1') }));
    echo(request, response);
  });
  cleanUp.add(() => upstream.close());
  return { port: upstream.port, received };
};

/** The port of a mirror that handles requests as the test says. */
export const startMirror = async (cleanUp: CleanUp, handle: RequestListener): Promise<number> => {
  const upstream = await startHttpUpstream(handle);
  cleanUp.add(() => upstream.close());
  return upstream.port;
};

export interface MirroredPlan {
  readonly rules?: Partial<MirrorRules>;
  /** Of the route. */
  readonly route?: Partial<RouteConfiguration>;
  /** Of the upstream that answers. */
  readonly main?: Partial<UpstreamConfiguration>;
  /** Of the upstream that gets the copies. */
  readonly shadow?: Partial<UpstreamConfiguration>;
  readonly agents?: readonly AgentPlan[];
  readonly changes?: Partial<GatewayConfiguration>;
}

export interface MirroredGateway extends GatewayWithAgents {
  readonly port: number;
  readonly configuration: Partial<GatewayConfiguration>;
  /** The counted results, without those that are 0. */
  results(): Promise<Partial<Record<MirrorResult, number>>>;
}

/** A gateway whose route forwards to `mainPort` and mirrors to `shadowPort`. */
export const startMirrored = async (
  cleanUp: CleanUp,
  mainPort: number,
  shadowPort: number,
  { rules = {}, route = {}, main = {}, shadow = {}, agents = [], changes = {} }: MirroredPlan = {},
): Promise<MirroredGateway> => {
  const mirror = { upstream: 'shadow', percent: 100, keepsCredentials: false, ...rules };
  const configuration = {
    upstreams: [testUpstream(mainPort, main), testUpstream(shadowPort, { name: 'shadow', ...shadow })],
    routes: [testRoute({ mirror, agents: agents.map(({ name }) => name), ...route })],
    listeners: testConfiguration([]).listeners.map((listener) => ({ ...listener, http2: true })),
    ...changes,
  };
  const gateway = await startGatewayWithAgents(cleanUp, 0, agents, configuration);
  return {
    ...gateway,
    port: gateway.address.port,
    configuration,
    results: async () => {
      const counted: Partial<Record<MirrorResult, number>> = {};
      const series = /gateway_mirror_requests_total\{[^}]*result="(\w+)"[^}]*\} (\d+)/g;
      for (const [, result, value] of (await gateway.metrics()).matchAll(series)) {
        if (Number(value) > 0) counted[result as MirrorResult] = Number(value);
      }
      return counted;
    },
  };
};
