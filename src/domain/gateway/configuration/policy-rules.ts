import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import type { Field, Located } from '../../configuration/schema/schema.js';
import { canonicalName } from '../../http/canonical-name.js';
import { answeringRoute, type ReadGateway, type ReadPolicies, type ReadRoute } from './read-gateway.js';
import { refusePathPolicies } from './rewrite-rules.js';

type ReadLimits = ReadGateway['limits']['value'];

const checkTimeouts = (policies: ReadPolicies, path: readonly string[], report: ProblemReport): void => {
  const short = policies['timeout-secs'];
  if (!short.given || !policies.timeouts.value['request-secs'].given) return;
  report.add('"timeout-secs" and "request-secs" of "timeouts" exclude each other', {
    position: short.position,
    path,
    suggestion: 'keep timeouts { request-secs ... }',
  });
};

/** A route without upstream reads no body and forwards nothing. */
const refuseOnBuiltin = (route: ReadRoute, kind: string, path: readonly string[], report: ProblemReport): void => {
  const policies = route.fields.policies.value;
  const { 'request-secs': long, 'read-secs': read } = policies.timeouts.value;
  const timeout = [policies['timeout-secs'], long, read].find(({ given }) => given);
  const refuse = (what: string, { position }: Field<unknown>): void =>
    report.add(`${what} has no effect on ${kind}`, { position, path });
  if (timeout !== undefined) refuse('a timeout', timeout);
  for (const name of ['buffer-requests', 'buffer-responses'] as const) {
    if (policies[name].sound && policies[name].value) refuse(`"${name}"`, policies[name]);
  }
  if (policies.compress.value !== null) refuse('"compress"', policies.compress);
  refusePathPolicies(route.fields, refuse);
  const rules = policies['request-headers'];
  if (!route.fields['builtin-handler'].given && rules.value !== null) refuse('"request-headers"', rules);
  const breaker = route.fields['circuit-breaker'];
  if (breaker.value !== null) refuse('"circuit-breaker"', breaker);
};

/** Response fields that compression writes, and the operations of header rules that would undo that. */
const fieldsOfCompression: Readonly<Record<string, readonly ('remove' | 'set' | 'add')[]>> = {
  'content-encoding': ['remove', 'set', 'add'],
  etag: ['set', 'add'],
  vary: ['remove', 'set'],
};

const refuseRulesAgainstCompression = (
  policies: ReadPolicies,
  path: readonly string[],
  report: ProblemReport,
): void => {
  const rules = policies['response-headers'].value;
  if (policies.compress.value === null || rules === null || !rules.enabled.value) return;
  const refuse = (operation: 'remove' | 'set' | 'add', { value, position }: Located<string>): void => {
    const field = canonicalName(value);
    if (!Object.hasOwn(fieldsOfCompression, field) || fieldsOfCompression[field]?.includes(operation) !== true) return;
    report.add(`"${operation}" of "response-headers" cannot change ${value}, which "compress" writes`, {
      position,
      path,
      suggestion: field === 'vary' ? 'write add { "Vary" ... }' : 'delete the rule, or compress',
      secret: true,
    });
  };
  for (const name of rules.remove.value) refuse('remove', name);
  for (const { name } of rules.set.value) refuse('set', name);
  for (const { name } of rules.add.value) refuse('add', name);
};

const warnOfBufferLimit = (
  policies: ReadPolicies,
  limits: ReadLimits,
  path: readonly string[],
  report: ProblemReport,
): void => {
  const { 'buffer-requests': buffer, 'max-body-size': own } = policies;
  const { 'max-body-buffer-bytes': held, 'max-body-size-bytes': standard } = limits;
  const allowed = own.value ?? standard.value;
  if (![buffer, own, held, standard].every(({ sound }) => sound) || !buffer.value || allowed <= held.value) return;
  const key = own.value === null ? 'max-body-size-bytes' : 'max-body-size';
  report.add(`"buffer-requests": a body above max-body-buffer-bytes gets 413, although ${key} allows it`, {
    position: buffer.position,
    path,
    severity: 'warning',
    suggestion: 'lower max-body-size of the route, or raise max-body-buffer-bytes of limits',
  });
};

/** Refuses header rules that set what `cors` decides. */
const checkCorsHeaders = (policies: ReadPolicies, path: readonly string[], report: ProblemReport): void => {
  const rules = policies['response-headers'].value;
  if (policies.cors.value === null || rules === null || !rules.enabled.value) return;
  for (const { name } of [...rules.set.value, ...rules.add.value]) {
    if (!canonicalName(name.value).startsWith('access-control-')) continue;
    report.add(`"response-headers" cannot set ${name.value} on a route with cors, which sets it`, {
      position: name.position,
      path: [...path, 'response-headers'],
      suggestion: 'delete the header here, or write cors #null in this route',
    });
  }
};

/** Checks the policies and the breaker of a route against each other and against `limits`. */
export const checkRoutePolicies = (route: ReadRoute, limits: ReadLimits, report: ProblemReport): void => {
  const policies = route.fields.policies.value;
  const path = ['routes', `route "${route.name.value}"`, 'policies'];
  checkTimeouts(policies, path, report);
  checkCorsHeaders(policies, path, report);
  refuseRulesAgainstCompression(policies, path, report);
  const kind = answeringRoute(route);
  if (kind !== null) refuseOnBuiltin(route, kind, path, report);
  else warnOfBufferLimit(policies, limits, path, report);
};
