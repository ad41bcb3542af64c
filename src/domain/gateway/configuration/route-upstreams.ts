import type { Located } from '../../configuration/schema/schema.js';
import type { GatewayConfiguration } from './gateway-configuration.js';
import type { ReadRoute } from './read-gateway.js';

/** The upstreams that answer requests of a route, as written: its `upstream`, or those of its `split`. */
export const answeringUpstreams = ({ fields: { upstream, split } }: ReadRoute): readonly Located<string>[] => {
  const { value, position, hidden = false } = upstream;
  const own = upstream.sound && value !== null ? [{ value, position, hidden }] : [];
  return [...own, ...(split.value?.upstream.value ?? []).map(({ name }) => name)];
};

/** The upstream of a route's mirror, as written; null: it has none, or it is turned off. */
export const mirrorUpstream = ({ fields: { mirror } }: ReadRoute): Located<string> | null => {
  const fields = mirror.value;
  if (fields === null || !fields.name.sound || !fields.enabled.value) return null;
  const { value, position, hidden = false } = fields.name;
  return { value, position: position ?? mirror.position, hidden };
};

/**
 * The upstreams without which the gateway can answer every request: routes only mirror to them, or give them weight 0
 * in a split.
 */
export const dispensableUpstreams = ({ routes }: Pick<GatewayConfiguration, 'routes'>): ReadonlySet<string> => {
  const spare = new Set<string>();
  const needed = new Set<string>();
  for (const { upstream, split, mirror } of routes) {
    if (upstream !== null) needed.add(upstream);
    if (mirror !== null) spare.add(mirror.upstream);
    for (const side of split?.sides ?? []) (side.weight === 0 ? spare : needed).add(side.upstream);
  }
  return new Set([...spare].filter((name) => !needed.has(name)));
};
