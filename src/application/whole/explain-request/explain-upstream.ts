import { isUnixSocket, type StreamAddress } from '../../../domain/configuration/network-addresses.js';
import type {
  GatewayConfiguration,
  RouteConfiguration,
  UpstreamConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import { sideOfRequest, weightedSides } from '../../../domain/gateway/load-balancing/traffic-split.js';
import type { Exchange } from '../../gateway/proxy-request/exchange.js';
import { type ExplainedStep, quoted, secondsText, step } from './explanation.js';

const addressText = (address: StreamAddress): string =>
  isUnixSocket(address)
    ? `unix:${address.path}`
    : `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;

/** The agents of a route, in the order of calls. */
export const explainAgents = ({ agents }: GatewayConfiguration, route: RouteConfiguration): readonly ExplainedStep[] =>
  route.agents.flatMap((name) => {
    const agent = agents.find((one) => one.name === name);
    if (agent === undefined) return [];
    const { events, failureMode, timeoutMs, transport } = agent;
    const outcome = failureMode === 'open' ? 'the request passes' : 'the request is refused';
    return [
      step(
        'agent',
        [
          `"${name}" (${transport.kind}) gets ${events.join(', ')}; without an answer within ${timeoutMs} ms ${outcome}`,
        ],
        { name, transport: transport.kind, events: [...events], timeout_ms: timeoutMs, failure_mode: failureMode },
      ),
    ];
  });

/** The side of a split that a request gets. Null: at random. */
export interface ChosenSide {
  readonly upstream: string | null;
  readonly steps: readonly ExplainedStep[];
}

/** The upstream of a route. A side is chosen as `compileSides` does. */
export const explainSplit = (route: RouteConfiguration, { client, forwarded }: Exchange): ChosenSide => {
  const { split } = route;
  if (split === null) return { upstream: route.upstream, steps: [] };
  const sides = weightedSides(split);
  const total = sides.reduce((sum, { weight }) => sum + weight, 0);
  const { key } = split;
  const chosen = key === null ? null : sideOfRequest(sides, key, client.address, forwarded.headers).upstream;
  const shares = sides.map(({ upstream, weight }) => `"${upstream}" ${Math.round((weight / total) * 1000) / 10} %`);
  const result = chosen === null ? 'chosen at random for each request' : `this request goes to "${chosen}"`;
  return {
    upstream: chosen,
    steps: [
      step('split', [`${shares.join(', ')}: ${result}`], {
        sides: sides.map(({ upstream, weight }) => ({ upstream, percent: (weight / total) * 100 })),
        key: key?.kind ?? null,
        chosen,
      }),
    ],
  };
};

const tlsText = ({ tls, httpVersion }: UpstreamConfiguration): string => {
  const version = httpVersion === 'auto' ? 'HTTP/2 or HTTP/1.1' : `HTTP/${httpVersion}`;
  if (tls === null) return `${version} without TLS`;
  return `${version} over TLS ${tls.minVersion} or later${tls.verifies ? '' : ', certificates not verified'}`;
};

/** The upstream that answers: targets, protocol, timeouts. */
export const explainUpstream = (
  { upstreams }: GatewayConfiguration,
  route: RouteConfiguration,
  names: readonly string[],
): readonly ExplainedStep[] =>
  names.flatMap((name) => {
    const upstream = upstreams.find((one) => one.name === name);
    if (upstream === undefined) return [];
    const targets = upstream.targets.filter(({ weight }) => weight > 0).map(({ address }) => addressText(address));
    const { connectMs } = upstream.timeouts;
    const requestMs = route.policies.requestTimeoutMs ?? upstream.timeouts.requestMs;
    const readMs = route.policies.readTimeoutMs ?? upstream.timeouts.readMs;
    const { hostHeader } = upstream;
    return [
      step(
        'upstream',
        [
          `"${name}": ${targets.length === 0 ? 'no target with a weight' : targets.join(', ')} (${upstream.balancing.kind.replaceAll('_', '-')})`,
          `${tlsText(upstream)}; Host ${hostHeader.kind === 'fixed' ? `"${hostHeader.host}"` : hostHeader.kind}`,
          `timeouts: ${secondsText(connectMs)} to connect, ${secondsText(requestMs)} until the response head, ${secondsText(readMs)} between parts of the body`,
          `up to ${upstream.retries.maxAttempts} attempts`,
        ],
        {
          name,
          targets,
          tls: upstream.tls === null ? null : { min_version: upstream.tls.minVersion, verifies: upstream.tls.verifies },
          http_version: upstream.httpVersion,
          host_header: hostHeader.kind === 'fixed' ? hostHeader.host : hostHeader.kind,
          timeouts: { connect_ms: connectMs, request_ms: requestMs, read_ms: readMs },
          max_attempts: upstream.retries.maxAttempts,
        },
      ),
    ];
  });

/** What happens beside the request and to its response. */
export const explainResponse = (
  { policies, mirror }: RouteConfiguration,
  hasUpstream: boolean,
): readonly ExplainedStep[] => {
  const { bufferRequests, bufferResponses, compression } = policies;
  const buffered = [...(bufferRequests ? ['requests'] : []), ...(bufferResponses ? ['responses'] : [])];
  const steps: ExplainedStep[] = [];
  if (buffered.length > 0) steps.push(step('buffer', [`whole ${buffered.join(' and ')} are buffered`], { buffered }));
  if (mirror !== null) {
    const { upstream, percent, keepsCredentials } = mirror;
    const credentials = keepsCredentials ? 'with' : 'without';
    steps.push(
      step('mirror', [`${percent} % of the requests are copied to "${upstream}", ${credentials} credentials`], {
        upstream,
        percent,
        credentials: keepsCredentials,
      }),
    );
  }
  if (compression !== null && hasUpstream) {
    const { encodings, minOctets, types } = compression;
    steps.push(
      step('compress', [`${encodings.join(', ')} for ${quoted(types)} from ${minOctets} bytes`], {
        encodings: [...encodings],
        types: [...types],
        min_bytes: minOctets,
      }),
    );
  }
  return steps;
};
