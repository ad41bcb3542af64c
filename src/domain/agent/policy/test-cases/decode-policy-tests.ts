import type { ConfigurationProblem, SourcePosition } from '../../../configuration/configuration-problem.js';
import { type LineLookup, ProblemReport } from '../../../configuration/schema/problem-report.js';
import { readMembers } from '../../../configuration/schema/read-block.js';
import type { Setting } from '../../../configuration/setting/setting.js';
import { ok, type Result } from '../../../shared/result.js';
import { toTemplateLinks } from '../../configuration/authz-block.js';
import type { Identity } from '../../identity/identity.js';
import type { PrincipalOptions } from '../gateway-model/gateway-principal.js';
import type { PolicyLink } from '../policy-source/policy-source.js';
import type { PolicyTestCase, PolicyTests } from './policy-tests.js';
import { sketchedFacts } from './request-sketch.js';
import { sketchedIdentity } from './sketched-identity.js';
import { type TestCaseFields, type TestFileFields, testFileShape } from './test-file-schema.js';

export interface DecodedPolicyTests {
  /** Null where there was any error. */
  readonly tests: PolicyTests | null;
  readonly problems: readonly ConfigurationProblem[];
}

export interface PolicyTestDecoding {
  readonly lines: LineLookup;
  /** The beginning of the file: where what is missing from it is reported. */
  readonly root: SourcePosition | null;
}

type ReadCase = TestFileFields['case']['value'][number];

const identityOf = (fields: TestCaseFields, claims: PrincipalOptions): Result<Identity | null, string> => {
  const { principal, anonymous } = fields;
  if (principal.value === null || anonymous.value) return ok(null);
  return sketchedIdentity(
    {
      id: principal.value.id.value,
      roles: principal.value.roles.value.map(({ value }) => value),
      claims: principal.value.claims.value,
      method: principal.value['auth-method'].value,
    },
    claims,
  );
};

const toCase = (
  { fields, position }: ReadCase,
  claims: PrincipalOptions,
  report: ProblemReport,
): PolicyTestCase | null => {
  const path = [fields.name.value === '' ? 'case' : `case "${fields.name.value}"`];
  const { principal, anonymous } = fields;
  if ((principal.value !== null) === anonymous.value) {
    const message = anonymous.value ? '"principal" and "anonymous" exclude each other' : '"principal" is missing';
    const suggestion = anonymous.value ? null : 'write principal "alice", or anonymous';
    report.add(message, { position: anonymous.position ?? position, path, suggestion });
  }
  const identity = identityOf(fields, claims);
  if (!identity.ok) report.add(identity.error, { position: principal.position, path });
  const [resource, expect] = [fields.resource.value, fields.expect.value];
  if (!identity.ok || resource === null || expect === null) return null;
  const context = fields.context.value;
  return {
    name: fields.name.value,
    position,
    request: {
      identity: identity.value,
      facts: sketchedFacts({
        method: fields.action.value,
        path: resource.path.value,
        query: resource.query.value,
        host: resource.host.value,
        clientIp: context === null ? null : context['client-ip'].value,
        correlationId: context === null ? null : context['correlation-id'].value,
      }),
    },
    expected: {
      decision: expect.decision.value,
      policies: expect.policies.given ? expect.policies.value : null,
    },
  };
};

const checkNames = (cases: readonly ReadCase[], report: ProblemReport): void => {
  const seen = new Map<string, SourcePosition | null>();
  for (const { fields, position } of cases) {
    if (!fields.name.sound) continue;
    const name = fields.name.value;
    const before = seen.get(name);
    if (before === undefined) {
      seen.set(name, position);
      continue;
    }
    report.add(`case "${name}" is there twice`, {
      position: fields.name.position,
      path: [],
      suggestion: before === null ? null : `the first one is at ${before.file}:${before.line}:${before.column}`,
    });
  }
};

const linksOf = (blocks: TestFileFields['template-link']['value'], lines: LineLookup): readonly PolicyLink[] =>
  blocks.flatMap((block) =>
    toTemplateLinks([block]).map((link) => ({
      ...link,
      position: block.position,
      line: block.position === null ? null : lines(block.position, false),
    })),
  );

/** Reads a policy test file. Every problem is reported, not the first alone. */
export const decodePolicyTests = (
  settings: readonly Setting[],
  { lines, root }: PolicyTestDecoding,
): DecodedPolicyTests => {
  const report = new ProblemReport(lines);
  const fields = readMembers(testFileShape, settings, { report, path: [], position: root });
  if (!fields.policies.given) {
    report.add('"policies" is missing', { position: root, path: [], suggestion: 'write policies "readers.cedar"' });
  } else if (fields.policies.sound && fields.policies.value.length === 0) {
    report.add('"policies" names no file', { position: fields.policies.position, path: [] });
  }
  if (fields.case.value.length === 0) {
    report.add('there is no case', { position: root, path: [], suggestion: 'write case "name" { ... }' });
  }
  checkNames(fields.case.value, report);
  const claims = { principalClaim: fields['principal-claim'].value, rolesClaim: fields['roles-claim'].value };
  const cases = fields.case.value.flatMap((one) => toCase(one, claims, report) ?? []);
  if (report.hasErrors) return { tests: null, problems: report.problems };
  const tests: PolicyTests = {
    policies: fields.policies.value,
    links: linksOf(fields['template-link'].value, lines),
    rules: { defaultDecision: fields['default-decision'].value, onError: fields['on-error'].value },
    claims,
    cases,
  };
  return { tests, problems: report.problems };
};
