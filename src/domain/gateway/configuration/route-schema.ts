import { block, custom, foreign } from '../../configuration/schema/block-keys.js';
import { hostPattern, matchableHeader, methodKind } from '../../configuration/schema/network-kinds.js';
import { refuseMembers } from '../../configuration/schema/read-block.js';
import { list, optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { integer, oneOf, type ScalarKind, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key, Located } from '../../configuration/schema/schema.js';
import { err, ok } from '../../shared/result.js';
import { type NamedMatch, type RouteMatches, requestSchemes } from '../routing/route-matches.js';
import { circuitBreaker } from './circuit-breaker-schema.js';
import { builtinHandlers } from './gateway-configuration.js';
import { mirror } from './mirror-schema.js';
import { policies } from './policies-schema.js';
import { redirectBlock } from './redirect-schema.js';
import { respond } from './respond-schema.js';
import { split } from './split-schema.js';

/** A repeatable key with a name and an optional value. */
const namedMatches = (names: ScalarKind<string>, meaning: string): Key<readonly NamedMatch[]> =>
  custom('name, or name and value; may be repeated', 'none', meaning, (key, settings, context) => {
    const matches: NamedMatch[] = [];
    let sound = true;
    for (const setting of settings) {
      const refuse = (message: string, suggestion: string | null) => {
        sound = false;
        context.report.add(message, { position: setting.position, path: [...context.path, key], suggestion });
      };
      if (refuseMembers(setting, context, false)) {
        sound = false;
        continue;
      }
      const [first, second, third] = setting.args;
      if (setting.args.some((arg) => arg.unresolved === true)) {
        sound = false;
        continue;
      }
      if (first === undefined || third !== undefined) {
        refuse(`"${key}" takes a name and at most one value`, `write ${key} "name" "value", once for each value`);
        continue;
      }
      const name = names.read(first);
      const value = second === undefined ? null : text.read(second);
      if (!name.ok) refuse(`"${key}" ${name.error.message}`, name.error.suggestion ?? null);
      else if (value !== null && !value.ok) refuse(`"${key}" ${value.error.message}`, value.error.suggestion ?? null);
      else matches.push({ name: name.value, value: value === null ? null : value.value });
    }
    return { value: matches, given: settings.length > 0, sound, position: settings[0]?.position ?? null };
  });

const priorityNames: Readonly<Record<string, number>> = { low: 10, normal: 50, high: 100, critical: 1000 };
const priorityNumber = integer(-1_000_000, 1_000_000);

const priority: ScalarKind<number> = {
  label: 'integer, or `low` (10), `normal` (50), `high` (100), `critical` (1000)',
  fallback: 50,
  secret: false,
  read: (scalar) => {
    const named =
      typeof scalar.value === 'string' && Object.hasOwn(priorityNames, scalar.value)
        ? priorityNames[scalar.value]
        : undefined;
    if (named !== undefined) return ok(named);
    const number = priorityNumber.read(scalar);
    if (number.ok) return number;
    return err({ message: 'must be an integer, or "low", "normal", "high" or "critical"' });
  },
};

/** Matches with a name and a value. Reports hide the value, because it may be a secret. */
const namedMatchShape = {
  header: namedMatches(
    matchableHeader,
    'A header, with this value or any value. Identity headers, which agents set, are errors.',
  ),
  'query-param': namedMatches(text, 'A query parameter, with this value or any value.'),
};
export type NamedMatchKey = keyof typeof namedMatchShape;
export const namedMatchKeys = Object.keys(namedMatchShape) as readonly NamedMatchKey[];

const matchesShape = {
  path: list(text, 'The exact path.'),
  'path-prefix': list(text, 'The first segments of the path: `/v2` matches `/v2` and `/v2/x`, not `/v2x`.'),
  'path-regex': list(
    text,
    'A regular expression in RE2 syntax that matches any part of the path. Anchor it with `^` and `$`.',
  ),
  host: list(hostPattern, 'Host of the request, without the port.'),
  method: list(methodKind, 'Method of the request. A method of more than 32 characters that no route names gets 501.'),
  ...namedMatchShape,
  scheme: list(
    oneOf(requestSchemes),
    'Scheme of the request: that of the connection, or the one that a trusted proxy names.',
  ),
};

/** The keys of all kinds of match. */
export const matchKeys: readonly string[] = Object.keys(matchesShape);

/** The values of a list, without their positions. */
export const values = <Value>(list: readonly Located<Value>[]): Value[] => list.map(({ value }) => value);

/** Converts a block `matches` that has no errors. */
export const toMatches = (matches: Fields<typeof matchesShape>): RouteMatches => ({
  paths: values(matches.path.value),
  pathPrefixes: values(matches['path-prefix'].value),
  pathRegexes: values(matches['path-regex'].value),
  hosts: values(matches.host.value),
  methods: values(matches.method.value),
  headers: matches.header.value,
  queryParams: matches['query-param'].value,
  schemes: values(matches.scheme.value),
});

const builtin = oneOf(['builtin']);

/** Other gateways write the kind of the upstream here. */
const serviceType: typeof builtin = {
  ...builtin,
  read: (scalar) => {
    const read = builtin.read(scalar);
    if (read.ok || scalar.hidden || !/^(?:web|api|http|proxy|default)$/.test(String(scalar.value))) return read;
    return err({ ...read.error, suggestion: 'delete service-type: the upstream answers' });
  },
};

export const routeShape = {
  priority: withDefault(priority, 50, '50', 'The gateway tries routes with a higher priority first.'),
  matches: block(
    matchesShape,
    'Which requests the route matches; at least one key is required. All kinds must match; of several values of one kind, one must.',
  ),
  upstream: optional(
    text,
    'Name of the upstream that answers. A route has exactly one of `upstream`, `split`, `builtin-handler`, `redirect` and `respond`.',
  ),
  split,
  mirror,
  agents: list(
    text,
    'Names of the agents that check a request, in this order. `#null`: the route is open on purpose, and no warning appears.',
  ),
  'service-type': optional(serviceType, '`builtin`: the gateway itself answers. Needs `builtin-handler`.'),
  'builtin-handler': optional(oneOf(builtinHandlers), 'Built-in endpoint that answers the request.'),
  redirect: redirectBlock,
  respond,
  'failure-mode': foreign(
    'it belongs in the block of the agent',
    'write failure-mode in the agent; "closed" is the default',
  ),
  'retry-policy': foreign(
    'it belongs in `retries` of the upstream',
    'write retries { max-attempts 3 } in the upstream; retries by status and backoff do not exist',
  ),
  'static-files': foreign('the gateway serves no files', 'use a web server as the upstream'),
  websocket: foreign('every route forwards WebSocket upgrades', 'delete the line'),
  'waf-enabled': foreign('a filter is an agent', 'list it in agents'),
  policies,
  'circuit-breaker': circuitBreaker({
    standard: 'none',
    meaning: 'After consecutive failures, answer every request of the route with 503 for a while.',
  }),
};
