import { block, custom, foreign } from '../../configuration/schema/block-keys.js';
import { hostPattern, matchableHeader, methodKind } from '../../configuration/schema/network-kinds.js';
import { refuseMembers } from '../../configuration/schema/read-block.js';
import { list, optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { integer, oneOf, type ScalarKind, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key, Located } from '../../configuration/schema/schema.js';
import { err, ok } from '../../shared/result.js';
import type { NamedMatch, RouteMatches } from '../routing/route-matches.js';
import { circuitBreaker } from './circuit-breaker-schema.js';
import { builtinHandlers } from './gateway-configuration.js';
import { policies } from './policies-schema.js';

/** A key `NAME` or `NAME VALUE` that may be repeated. */
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

/** The kinds of match that have a name and a value. A value may be a secret: reports conceal it. */
const namedMatchShape = {
  header: namedMatches(
    matchableHeader,
    'A header that is there, with that value or with any. None of those that say who a caller is.',
  ),
  'query-param': namedMatches(text, 'A query parameter that is there, with that value or with any.'),
};
export type NamedMatchKey = keyof typeof namedMatchShape;
export const namedMatchKeys = Object.keys(namedMatchShape) as readonly NamedMatchKey[];

const matchesShape = {
  path: list(text, 'The whole path.'),
  'path-prefix': list(text, 'The first segments of the path: `/v2` takes `/v2` and `/v2/x`, not `/v2x`.'),
  'path-regex': list(text, 'A regular expression (RE2 syntax) that occurs in the path; `^` and `$` anchor it.'),
  host: list(hostPattern, 'The host of the request, without a port.'),
  method: list(
    methodKind,
    'The method. A request with a method of more than 32 characters that no route names is answered 501.',
  ),
  ...namedMatchShape,
};

/** Every kind of match. */
export const matchKeys: readonly string[] = Object.keys(matchesShape);

/** The values of a list, without their places. */
export const values = <Value>(list: readonly Located<Value>[]): Value[] => list.map(({ value }) => value);

/** The matches of a route that was read without an error. */
export const toMatches = (matches: Fields<typeof matchesShape>): RouteMatches => ({
  paths: values(matches.path.value),
  pathPrefixes: values(matches['path-prefix'].value),
  pathRegexes: values(matches['path-regex'].value),
  hosts: values(matches.host.value),
  methods: values(matches.method.value),
  headers: matches.header.value,
  queryParams: matches['query-param'].value,
});

const builtin = oneOf(['builtin']);

/** Other gateways name the kinds of their upstreams here. */
const serviceType: typeof builtin = {
  ...builtin,
  read: (scalar) => {
    const read = builtin.read(scalar);
    if (read.ok || scalar.hidden || !/^(?:web|api|http|proxy|default)$/.test(String(scalar.value))) return read;
    return err({ ...read.error, suggestion: 'leave service-type out: the upstream answers' });
  },
};

export const routeShape = {
  priority: withDefault(priority, 50, '50', 'Routes of a higher priority are tried first.'),
  matches: block(
    matchesShape,
    'What the route takes. Kinds are joined by AND, several values of one kind by OR. At least one is required.',
  ),
  upstream: optional(text, 'Name of the upstream that answers. Either this or `builtin-handler` is required.'),
  agents: list(
    text,
    'Names of the agents that judge a request, in this order. `#null`: the route is meant to be open, and nothing warns about it.',
  ),
  'service-type': optional(serviceType, 'Says that the gateway answers by itself.'),
  'builtin-handler': optional(oneOf(builtinHandlers), 'What answers where `service-type` is `builtin`.'),
  'failure-mode': foreign(
    'an agent says what happens while it gives no answer',
    'write failure-mode in the block of the agent; "closed" is the default',
  ),
  'retry-policy': foreign(
    'the upstream says how often a request is sent',
    'write retries { max-attempts 3 } in the upstream; there are no retries by status and no backoff',
  ),
  'static-files': foreign('the gateway serves no files', 'let a web server serve them, and name it as the upstream'),
  websocket: foreign('upgrades to WebSocket are forwarded on every route', 'take it out'),
  'waf-enabled': foreign('a filter is an agent', 'name it in agents'),
  policies,
  'circuit-breaker': circuitBreaker({
    standard: 'none',
    meaning: 'Answer with 503 at once, for a while, once requests of the route have failed in a row.',
  }),
};
