import type { RequestQuestion } from '../../../application/agent/policy-tools/explain-request.js';
import { claimPathFault } from '../../../domain/agent/configuration/claim-path.js';
import {
  addressFault,
  hostFault,
  methodFault,
  queryFault,
  testPathFault,
} from '../../../domain/agent/policy/test-cases/request-kinds.js';
import { sketchedAttributes } from '../../../domain/agent/policy/test-cases/request-sketch.js';
import { type PrincipalSketch, sketchedMethods } from '../../../domain/agent/policy/test-cases/sketched-identity.js';
import type { Claims, ClaimValue } from '../../../domain/agent/tokens/claims.js';
import { parseClaims } from '../../../domain/agent/tokens/parse-claims.js';
import type { ScalarFault } from '../../../domain/configuration/schema/scalar-kind.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type FlagValues, flagChoice, flagValue, flagValues, isSet } from '../../command-line/flag-values.js';
import { type ExplainRules, type ExplainSubject, policyLocationOf } from './policy-command.js';

const requestFlags = [
  'principal',
  'anonymous',
  'role',
  'claim',
  'auth-method',
  'action',
  'resource',
  'query',
  'host',
  'client-ip',
  'correlation-id',
];
const locationFlags = ['policies', 'config', 'agent', 'default-decision', 'on-error', 'principal-claim', 'roles-claim'];

const faultText = (flag: string, { message, suggestion }: ScalarFault): string =>
  `${flag} ${message}${suggestion === undefined || suggestion === null ? '' : `: ${suggestion}`}`;

/** Parses JSON; other text is a plain string. */
const claimValue = (text: string): ClaimValue => parseClaims(`{"value":${text}}`)?.['value'] ?? text;

const claimsOf = (entries: readonly string[]): Result<Claims, string> => {
  const claims = new Map<string, ClaimValue>();
  for (const entry of entries) {
    const sign = entry.indexOf('=');
    if (sign < 1) return err('--claim needs a name, = and a value: --claim department=finance');
    const name = entry.slice(0, sign);
    if (claims.has(name)) return err(`--claim names "${name}" twice: write a list as --claim '${name}=["a","b"]'`);
    claims.set(name, claimValue(entry.slice(sign + 1)));
  }
  return ok(Object.fromEntries(claims));
};

const principalOf = (values: FlagValues): Result<PrincipalSketch | null, string> => {
  const method = flagChoice(values, 'auth-method', sketchedMethods);
  if (!method.ok) return method;
  const claims = claimsOf(flagValues(values, 'claim'));
  if (!claims.ok) return claims;
  const named = ['principal', 'role', 'claim', 'auth-method'].filter((flag) => isSet(values, flag));
  if (isSet(values, 'anonymous')) {
    return named.length === 0 ? ok(null) : err(`--anonymous and --${named[0]} exclude each other`);
  }
  const id = flagValue(values, 'principal');
  if (id === '') return err('--principal must not be empty');
  if (id === null && !isSet(values, 'claim')) return err('--principal or --anonymous is missing');
  return ok({ id, roles: flagValues(values, 'role'), claims: claims.value, method: method.value ?? 'jwt' });
};

const requestOf = (values: FlagValues): Result<RequestQuestion, string> => {
  const principal = principalOf(values);
  if (!principal.ok) return principal;
  const method = flagValue(values, 'action');
  if (method === null) return err('--action is missing, as in --action GET');
  const wrongMethod = methodFault(method);
  if (wrongMethod !== null) return err(faultText('--action', wrongMethod));
  const path = flagValue(values, 'resource');
  if (path === null) return err('--resource is missing, as in --resource /reports');
  const query = flagValue(values, 'query') ?? '';
  const clientIp = flagValue(values, 'client-ip');
  const [host, correlationId] = [flagValue(values, 'host'), flagValue(values, 'correlation-id')];
  const faults: readonly (readonly [string, ScalarFault | null])[] = [
    ['--resource', testPathFault(path)],
    ['--query', queryFault(query)],
    ['--host', host === null ? null : hostFault(host)],
    ['--client-ip', clientIp === null ? null : addressFault(clientIp)],
  ];
  for (const [flag, fault] of faults) if (fault !== null) return err(faultText(flag, fault));
  const attributes = sketchedAttributes({ method, path, query, host, clientIp, correlationId });
  return ok({ principal: principal.value, attributes });
};

const rulesOf = (values: FlagValues): Result<ExplainRules, string> => {
  const defaultDecision = flagChoice(values, 'default-decision', ['allow', 'deny']);
  if (!defaultDecision.ok) return defaultDecision;
  const onError = flagChoice(values, 'on-error', ['deny', 'skip']);
  if (!onError.ok) return onError;
  const [principalClaim, rolesClaim] = [flagValue(values, 'principal-claim'), flagValue(values, 'roles-claim')];
  if (principalClaim === '' || rolesClaim === '') return err('the name of a claim must not be empty');
  const fault = rolesClaim === null ? null : claimPathFault(rolesClaim);
  if (fault !== null) return err(faultText('--roles-claim', fault));
  return ok({ defaultDecision: defaultDecision.value, onError: onError.value, principalClaim, rolesClaim });
};

const caseOf = (values: FlagValues, testFile: string): Result<ExplainSubject, string> => {
  const other = [...locationFlags, ...requestFlags].find((flag) => isSet(values, flag));
  if (other !== undefined)
    return err(`--test-file and --${other} exclude each other: the file contains the whole request`);
  if (testFile === '') return err('the test file name must not be empty');
  return ok({ kind: 'case', testFile, caseName: flagValue(values, 'case') });
};

/** Reads the subject from the flags of `policy explain`. The error is a message about the flags. */
export const explainSubjectOf = (values: FlagValues): Result<ExplainSubject, string> => {
  const testFile = flagValue(values, 'test-file');
  if (testFile !== null) return caseOf(values, testFile);
  if (isSet(values, 'case')) return err('--case needs --test-file FILE');
  const location = policyLocationOf(values, flagValues(values, 'policies'), '--policies PATH');
  if (!location.ok) return location;
  const rules = rulesOf(values);
  if (!rules.ok) return rules;
  const request = requestOf(values);
  return request.ok
    ? ok({ kind: 'request', location: location.value, rules: rules.value, request: request.value })
    : request;
};
