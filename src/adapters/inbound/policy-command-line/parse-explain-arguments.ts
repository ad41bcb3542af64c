import type { RequestQuestion } from '../../../application/agent/policy-tools/explain-request.js';
import { claimPathFault } from '../../../domain/agent/configuration/claim-path.js';
import {
  addressFault,
  hostFault,
  methodFault,
  queryFault,
  testPathFault,
} from '../../../domain/agent/policy/test-cases/request-kinds.js';
import { sketchedFacts } from '../../../domain/agent/policy/test-cases/request-sketch.js';
import { type PrincipalSketch, sketchedMethods } from '../../../domain/agent/policy/test-cases/sketched-identity.js';
import type { Claims, ClaimValue } from '../../../domain/agent/tokens/claims.js';
import { parseClaims } from '../../../domain/agent/tokens/parse-claims.js';
import type { ScalarFault } from '../../../domain/configuration/schema/scalar-kind.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type FlagValues, given, isSet, only, onlyOf } from './flag-values.js';
import { policyPlaceOf } from './parse-policy-place.js';
import type { ExplainRules, ExplainSubject } from './policy-command.js';

const requestFlags = [
  'principal',
  'anonymous',
  'role',
  'claim',
  'authMethod',
  'action',
  'resource',
  'query',
  'host',
  'clientIp',
  'correlationId',
];
const placeFlags = ['policies', 'config', 'agent', 'defaultDecision', 'onError', 'principalClaim', 'rolesClaim'];

const flagName = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const faultText = (flag: string, { message, suggestion }: ScalarFault): string =>
  `${flag} ${message}${suggestion === undefined || suggestion === null ? '' : `: ${suggestion}`}`;

/** JSON where it is, else the text as it is. */
const claimValue = (text: string): ClaimValue => parseClaims(`{"value":${text}}`)?.['value'] ?? text;

const claimsOf = (entries: readonly string[]): Result<Claims, string> => {
  const claims = new Map<string, ClaimValue>();
  for (const entry of entries) {
    const sign = entry.indexOf('=');
    if (sign < 1) return err('--claim is a name, = and a value: --claim department=finance');
    const name = entry.slice(0, sign);
    if (claims.has(name)) return err(`--claim gives "${name}" twice: a list is --claim '${name}=["a","b"]'`);
    claims.set(name, claimValue(entry.slice(sign + 1)));
  }
  return ok(Object.fromEntries(claims));
};

const principalOf = (values: FlagValues): Result<PrincipalSketch | null, string> => {
  const method = onlyOf(values, 'authMethod', sketchedMethods);
  if (!method.ok) return method;
  const claims = claimsOf(given(values, 'claim'));
  if (!claims.ok) return claims;
  const named = ['principal', 'role', 'claim', 'authMethod'].filter((name) => isSet(values, name)).map(flagName);
  if (isSet(values, 'anonymous')) {
    return named.length === 0 ? ok(null) : err(`--anonymous and ${named[0]} exclude each other`);
  }
  const id = only(values, 'principal');
  if (id === '') return err('--principal must not be empty');
  if (id === null && !isSet(values, 'claim')) return err('--principal or --anonymous is missing');
  return ok({ id, roles: given(values, 'role'), claims: claims.value, method: method.value ?? 'jwt' });
};

const requestOf = (values: FlagValues): Result<RequestQuestion, string> => {
  const principal = principalOf(values);
  if (!principal.ok) return principal;
  const method = only(values, 'action');
  if (method === null) return err('--action is missing, as in --action GET');
  const wrongMethod = methodFault(method);
  if (wrongMethod !== null) return err(faultText('--action', wrongMethod));
  const path = only(values, 'resource');
  if (path === null) return err('--resource is missing, as in --resource /reports');
  const query = only(values, 'query') ?? '';
  const clientIp = only(values, 'clientIp');
  const [host, correlationId] = [only(values, 'host'), only(values, 'correlationId')];
  const faults: readonly (readonly [string, ScalarFault | null])[] = [
    ['--resource', testPathFault(path)],
    ['--query', queryFault(query)],
    ['--host', host === null ? null : hostFault(host)],
    ['--client-ip', clientIp === null ? null : addressFault(clientIp)],
  ];
  for (const [flag, fault] of faults) if (fault !== null) return err(faultText(flag, fault));
  const facts = sketchedFacts({ method, path, query, host, clientIp, correlationId });
  return ok({ principal: principal.value, facts });
};

const rulesOf = (values: FlagValues): Result<ExplainRules, string> => {
  const defaultDecision = onlyOf(values, 'defaultDecision', ['allow', 'deny']);
  if (!defaultDecision.ok) return defaultDecision;
  const onError = onlyOf(values, 'onError', ['deny', 'skip']);
  if (!onError.ok) return onError;
  const [principalClaim, rolesClaim] = [only(values, 'principalClaim'), only(values, 'rolesClaim')];
  if (principalClaim === '' || rolesClaim === '') return err('the name of a claim must not be empty');
  const fault = rolesClaim === null ? null : claimPathFault(rolesClaim);
  if (fault !== null) return err(faultText('--roles-claim', fault));
  return ok({ defaultDecision: defaultDecision.value, onError: onError.value, principalClaim, rolesClaim });
};

const caseOf = (values: FlagValues, testFile: string): Result<ExplainSubject, string> => {
  const other = [...placeFlags, ...requestFlags].find((name) => isSet(values, name));
  if (other !== undefined) return err(`--test-file and ${flagName(other)} exclude each other: the file says it all`);
  if (testFile === '') return err('the name of the test file is empty');
  return ok({ kind: 'case', testFile, caseName: only(values, 'case') });
};

/** What the flags of `policy explain` ask to explain. The error is what is wrong with them. */
export const explainSubjectOf = (values: FlagValues): Result<ExplainSubject, string> => {
  const testFile = only(values, 'testFile');
  if (testFile !== null) return caseOf(values, testFile);
  if (isSet(values, 'case')) return err('--case needs --test-file FILE');
  const place = policyPlaceOf(values, given(values, 'policies'), '--policies PATH');
  if (!place.ok) return place;
  const rules = rulesOf(values);
  if (!rules.ok) return rules;
  const request = requestOf(values);
  return request.ok ? ok({ kind: 'request', place: place.value, rules: rules.value, request: request.value }) : request;
};
