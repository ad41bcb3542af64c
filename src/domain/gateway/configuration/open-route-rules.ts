import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { keyValueText, type Located } from '../../configuration/schema/schema.js';
import { agentsOf, type ReadGateway, type ReadRoute, routesOf } from './read-gateway.js';
import { answeringUpstreams, mirrorUpstream } from './route-upstreams.js';

/** How many agents a message names. */
const namedAtMost = 5;

/**
 * The route has an upstream or a split and neither agents nor a sign that it is open on purpose: `agents #null`, or
 * `forward-identity-headers`, which excludes agents.
 */
const isUndecided = (route: ReadRoute): boolean => {
  const { agents, policies } = route.fields;
  const isForwarded = answeringUpstreams(route).length > 0;
  return isForwarded && !agents.given && !policies.value['forward-identity-headers'].value;
};

const quotedNames = (agents: readonly Located<string>[]): readonly string[] =>
  agents.flatMap((agent) => (agent.hidden === true ? [] : keyValueText(agent)));

/** By upstream, the first route that has agents. */
const protectedUpstreams = (routes: readonly ReadRoute[]): ReadonlyMap<string, ReadRoute> => {
  const first = new Map<string, ReadRoute>();
  for (const route of routes) {
    if (route.fields.agents.value.length === 0) continue;
    for (const { value } of answeringUpstreams(route)) if (!first.has(value)) first.set(value, route);
  }
  return first;
};

const listed = (names: readonly string[]): string =>
  names.slice(0, namedAtMost).join(', ') +
  (names.length > namedAtMost ? ` and ${names.length - namedAtMost} more` : '');

const warn = (route: ReadRoute, reason: string, agents: readonly string[], report: ProblemReport): void => {
  const example = agents.length === 0 ? '"name"' : agents.slice(0, namedAtMost).join(' ');
  report.add(`route "${route.name.value}" has no agents: ${reason}`, {
    severity: 'warning',
    id: 'route-without-agents',
    position: route.setting.position,
    path: ['routes', `route "${route.name.value}"`],
    suggestion: `write agents ${example}, or agents #null if the route is open on purpose`,
  });
};

/**
 * Warns about routes that probably lack agents: an agent is on no route, or another route to the same upstream has
 * agents.
 */
export const warnOfOpenRoutes = (gateway: ReadGateway, report: ProblemReport): void => {
  const routes = routesOf(gateway);
  const open = routes.filter(isUndecided);
  if (open.length === 0 || agentsOf(gateway).length === 0) return;
  const used = new Set(routes.flatMap(({ fields }) => fields.agents.value.map(({ value }) => value)));
  const unused = agentsOf(gateway).flatMap(({ name }) => (used.has(name.value) ? [] : `"${name.value}"`));
  const neighbours = protectedUpstreams(routes);
  for (const route of open) {
    const reached = [...answeringUpstreams(route), mirrorUpstream(route)].filter((upstream) => upstream !== null);
    const neighbour = reached.map(({ value }) => neighbours.get(value)).find((found) => found !== undefined);
    if (neighbour !== undefined) {
      const names = quotedNames(neighbour.fields.agents.value);
      const agents = names.length === 0 ? 'agents' : `${names.length === 1 ? 'agent' : 'agents'} ${listed(names)}`;
      const reason = `it opens the upstream that route "${neighbour.name.value}" protects by ${agents}`;
      warn(route, reason, names, report);
    } else if (unused.length > 0) {
      warn(
        route,
        `everyone may use it, and no route lists the ${unused.length === 1 ? 'agent' : 'agents'} ${listed(unused)}`,
        unused,
        report,
      );
    }
  }
};
