import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { keyValueText } from '../../configuration/schema/schema.js';
import type { WrittenRateLimit } from './rate-limit-schema.js';
import {
  agentsOf,
  defaultPoliciesOf,
  namedRateLimitsOf,
  type ReadGateway,
  type ReadRoute,
  rateLimitOfRoute,
  routesOf,
} from './read-gateway.js';

type NamedLimit = Extract<WrittenRateLimit, { kind: 'named' }>;

const pathOf = (route: ReadRoute): readonly string[] => [
  'routes',
  `route "${route.name.value}"`,
  'policies',
  'rate-limit',
];

/** @param where the route, or the block of defaults */
const checkName = (
  written: WrittenRateLimit | null,
  where: string,
  path: readonly string[],
  known: readonly string[],
  report: ProblemReport,
): void => {
  if (written?.kind !== 'named' || known.includes(written.name.value)) return;
  const { name } = written;
  const near = name.hidden === true ? null : report.nearMiss(name.value, known);
  report.add(`${where} refers to a rate-limit ${keyValueText(name)} that is not defined`, {
    position: name.position,
    path,
    suggestion: near ?? 'write rate-limit "name" { requests-per-second 10 } at the top level',
  });
};

const isSamePlace = (one: NamedLimit, other: NamedLimit): boolean =>
  one.name.position !== null && one.name.position === other.name.position;

/** Refuses `key "user"` on a route on which no agent can set a user id. */
const requireUserIds = (gateway: ReadGateway, route: ReadRoute, report: ProblemReport): void => {
  const limit = rateLimitOfRoute(gateway, route);
  if (limit === null || !limit.enabled.value || !limit.key.sound || limit.key.value.kind !== 'user') return;
  const { agents, policies } = route.fields;
  if (!agents.sound) return;
  const listed = agents.value.map(({ value }) => agentsOf(gateway).find(({ name }) => name.value === value));
  // Another check reports an unknown agent.
  const seesRequests = (agent: (typeof listed)[number]): boolean =>
    agent === undefined ||
    !agent.fields.events.sound ||
    agent.fields.events.value.some(({ value }) => value === 'request_headers');
  if (listed.some(seesRequests)) return;
  const { position } = policies.value['rate-limit'];
  const reason = listed.length === 0 ? 'has no agents' : 'has no agent with the event request_headers';
  report.add(`"rate-limit" counts by user, but route "${route.name.value}" ${reason}: no request has a user id`, {
    position: position ?? limit.key.position,
    path: pathOf(route),
    suggestion: 'list an agent that sets user ids in agents, or choose another key, such as "client_ip"',
  });
};

const warnOfUnusedLimits = (gateway: ReadGateway, report: ProblemReport): void => {
  const used = new Set(
    routesOf(gateway).flatMap(({ fields }) => {
      const written = fields.policies.value['rate-limit'].value;
      return written?.kind === 'named' ? [written.name.value] : [];
    }),
  );
  for (const { name, fields, setting } of namedRateLimitsOf(gateway)) {
    if (used.has(name.value) || !fields.enabled.value) continue;
    report.add(`no route names the rate-limit "${name.value}": it limits nothing`, {
      severity: 'warning',
      position: setting.position,
      path: [`rate-limit "${name.value}"`],
      suggestion: `write policies { rate-limit "${name.value}" } in a route, or delete the block`,
    });
  }
};

/** Checks the rate limits of routes against named limits and agents. */
export const checkRouteRates = (gateway: ReadGateway, report: ProblemReport): void => {
  const known = namedRateLimitsOf(gateway).map(({ name }) => name.value);
  const standard = defaultPoliciesOf(gateway)['rate-limit'].value;
  checkName(standard, 'defaults', ['defaults', 'policies', 'rate-limit'], known, report);
  for (const route of routesOf(gateway)) {
    const written = route.fields.policies.value['rate-limit'].value;
    // The limit of `defaults` is checked above.
    const isInherited = written?.kind === 'named' && standard?.kind === 'named' && isSamePlace(written, standard);
    if (!isInherited) checkName(written, `route "${route.name.value}"`, pathOf(route), known, report);
    requireUserIds(gateway, route, report);
  }
  warnOfUnusedLimits(gateway, report);
};
