import type {
  GatewayConfiguration,
  RouteConfiguration,
} from '../../../../domain/gateway/configuration/gateway-configuration.js';
import {
  configuredCredentialHeaders,
  mirroredCredentialNames,
  proxyIdentityHeaders,
  secretRuleHeaders,
} from '../../../../domain/gateway/route-transforms/mirror-headers.js';
import { ownedHeaders } from '../../../../domain/http/owned-headers.js';
import type { GatewayMetrics } from '../../../ports/gateway/gateway-metrics.js';
import type { RequestAdmissions } from '../../admit/request-admissions.js';
import type { TargetChooser } from '../../choose-upstream/chosen-target.js';
import { type MirrorOptions, RequestMirror } from './request-mirror.js';

/** The services for the mirrors of one configuration. */
export interface MirrorServices extends Pick<MirrorOptions, 'clock' | 'identity' | 'logger' | 'random' | 'scheduler'> {
  readonly admissions: Pick<RequestAdmissions, 'mirrors'>;
  readonly metrics: Pick<GatewayMetrics, 'mirror'>;
  readonly peers: { readonly upstreams: ReadonlyMap<string, TargetChooser> };
}

/** The mirror of a route; null: it has none. */
export const compileMirror = (
  { mirror: rules, policies }: RouteConfiguration,
  { agents, limits, upstreams }: GatewayConfiguration,
  services: MirrorServices,
): RequestMirror | null => {
  const upstream = upstreams.find(({ name }) => name === rules?.upstream);
  if (rules === null || upstream === undefined) return null;
  const { clock, identity, logger, random, scheduler, peers, admissions, metrics } = services;
  return new RequestMirror({
    rules,
    clock,
    identity,
    logger,
    random,
    scheduler,
    // INVARIANT: every upstream of the configuration has a target chooser.
    chooser: peers.upstreams.get(upstream.name) as TargetChooser,
    timeoutMs: upstream.timeouts.requestMs,
    slots: admissions.mirrors,
    metrics: metrics.mirror(upstream.name),
    maxBodyOctets: limits.maxBodyBufferBytes,
    credentials: ownedHeaders([
      ...mirroredCredentialNames,
      ...proxyIdentityHeaders,
      ...secretRuleHeaders(policies.requestHeaders),
      ...agents.flatMap(({ config }) => configuredCredentialHeaders(config)),
    ]),
  });
};
