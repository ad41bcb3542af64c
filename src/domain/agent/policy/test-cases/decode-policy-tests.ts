import type { ConfigurationProblem, SourcePosition } from '../../../configuration/configuration-problem.js';
import { custom } from '../../../configuration/schema/block-keys.js';
import { type LineLookup, ProblemReport } from '../../../configuration/schema/problem-report.js';
import { inside, readMembers, refuseRepetition } from '../../../configuration/schema/read-block.js';
import { list, optional, required, withDefault } from '../../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, text } from '../../../configuration/schema/scalar-kind.js';
import type { Fields, Key, Shape } from '../../../configuration/schema/schema.js';
import { members, type Setting } from '../../../configuration/setting/setting.js';
import { settingsToJson } from '../../../configuration/setting/setting-json.js';
import { ok, type Result } from '../../../shared/result.js';
import { agentDefaults } from '../../configuration/agent-configuration.js';
import { templateLinkBlocks, toTemplateLinks } from '../../configuration/authz-block.js';
import { claimPath } from '../../configuration/claim-path.js';
import { optionBlock, optionBlocks } from '../../configuration/option-blocks.js';
import type { Identity } from '../../identity/identity.js';
import type { Claims, ClaimValue } from '../../tokens/claims.js';
import { parseClaims } from '../../tokens/parse-claims.js';
import type { PrincipalOptions } from '../gateway-model/gateway-principal.js';
import type { PolicyLink } from '../policy-source/policy-source.js';
import type { PolicyTestCase, PolicyTests } from './policy-tests.js';
import { clientAddressKind, hostKind, queryText, requestMethod, requestPathKind } from './request-kinds.js';
import { sketchedAttributes } from './request-sketch.js';
import { sketchedIdentity, sketchedMethods } from './sketched-identity.js';

/** The members of a block, including its argument as a member named `label`. */
const allMembers = (setting: Setting, label: string): readonly Setting[] => {
  const { args, position } = setting;
  const labelled: Setting = { name: label, args, properties: [], children: null, position, listed: false };
  return args.length === 0 ? members(setting) : [labelled, ...members(setting)];
};

/** A setting whose argument is a member of its optional block: `resource "/reports" { host "a.example" }`. */
const labelledBlock = <S extends Shape>(label: keyof S & string, shape: S, meaning: string): Key<Fields<S> | null> =>
  custom(
    'value, with a block or without',
    'none',
    meaning,
    (_name, settings, context) => {
      refuseRepetition(settings, context, false);
      const [setting] = settings;
      if (setting === undefined) return { value: null, given: false, sound: true, position: null };
      const value = readMembers(shape, allMembers(setting, label), inside(context, setting));
      return { value, given: true, sound: settings.length === 1, position: setting.position };
    },
    shape,
  );

/** As `labelledBlock`, but required. */
const requiredBlock = <S extends Shape>(label: keyof S & string, shape: S, meaning: string): Key<Fields<S> | null> => {
  const key = labelledBlock(label, shape, meaning);
  return {
    ...key,
    read: (name, settings, context) => {
      if (settings.length === 0) {
        context.report.add(`"${name}" is missing`, { position: context.position, path: context.path });
      }
      return key.read(name, settings, context);
    },
    document: { ...key.document, default: 'required' },
  };
};

/**
 * A block whose members are claims, or a string with a JSON object. JSON can distinguish a list of one item from the
 * item.
 */
const claims: Key<Claims> = custom<Claims>(
  'block, or JSON in a string',
  'none',
  'Claims of the token. Write a list of one item as JSON: `claims #"{"groups": ["staff"]}"#`.',
  (name, settings, context) => {
    const all: [string, ClaimValue][] = [];
    for (const setting of settings) {
      const [json, ...others] = setting.args;
      const object = typeof json?.value === 'string' ? parseClaims(json.value) : null;
      const isJson = json !== undefined && others.length === 0 && members(setting).length === 0;
      if (json === undefined) all.push(...Object.entries(settingsToJson(members(setting))));
      else if (isJson && object !== null) all.push(...Object.entries(object));
      else {
        context.report.add(`"${name}" must be a block, or a string that is a JSON object`, {
          position: json.position ?? setting.position,
          path: [...context.path, name],
          suggestion: `write ${name} { department "finance" }`,
        });
      }
    }
    const first = settings[0];
    return {
      value: Object.fromEntries(all),
      given: first !== undefined,
      sound: true,
      position: first?.position ?? null,
    };
  },
);

const principalShape = {
  id: optional(text, 'The user id. For tokens it becomes the claim that `principal-claim` names.'),
  roles: list(text, 'The roles. They become the claim that `roles-claim` names.'),
  claims,
  'auth-method': withDefault(oneOf(sketchedMethods), 'jwt', '`jwt`', 'The authentication method.'),
};

const resourceShape = {
  path: required(requestPathKind, 'The path of the request.'),
  host: optional(hostKind, 'The Host header.'),
  query: withDefault(queryText, '', 'none', 'The query, without the question mark.'),
};

const contextShape = {
  'client-ip': optional(clientAddressKind, "The client's address. Without it the context has no `client_ip`."),
  'correlation-id': optional(text, 'The id of the request.'),
};

const expectationShape = {
  decision: required(oneOf(['allow', 'deny']), 'The expected decision.'),
  policies: list(text, 'Exactly the policies that must decide. `#null`: none, so `default-decision` decides.'),
};

const testCaseShape = {
  name: required(text, 'A unique name.'),
  principal: labelledBlock('id', principalShape, 'The principal of the request.'),
  anonymous: withDefault(
    boolean,
    false,
    '`#false`',
    'Instead of `principal`: a request without an identity, as `fail-open` passes it.',
  ),
  action: required(requestMethod, 'The method of the request.'),
  resource: requiredBlock('path', resourceShape, 'The requested resource.'),
  context: optionBlock(contextShape, 'The context of the request.'),
  expect: requiredBlock('decision', expectationShape, 'The expected result.'),
};

/** The keys of a policy test file. */
const testFileShape = {
  policies: list(text, 'Policy files and folders, relative to the folder of the test file.'),
  'default-decision': withDefault(oneOf(['deny', 'allow']), 'deny', '`deny`', 'As in the `authz` block.'),
  'on-error': withDefault(oneOf(['deny', 'skip']), 'deny', '`deny`', 'As in the `authz` block.'),
  'principal-claim': withDefault(text, agentDefaults.principalClaim, '`sub`', 'As in the `authz` block.'),
  'roles-claim': withDefault(claimPath, 'roles', '`roles`', 'As in the `authz` block, but with a default.'),
  'template-link': templateLinkBlocks,
  case: optionBlocks(testCaseShape, 'One request and its expected result.'),
};

type TestFileFields = Fields<typeof testFileShape>;
type TestCaseFields = Fields<typeof testCaseShape>;

export interface DecodedPolicyTests {
  /** Null if there was any error. */
  readonly tests: PolicyTests | null;
  readonly problems: readonly ConfigurationProblem[];
}

export interface PolicyTestDecoding {
  readonly lines: LineLookup;
  /** The beginning of the file, the position of problems about missing keys. */
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
      attributes: sketchedAttributes({
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
    report.add(`duplicate case "${name}"`, {
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

/** Reads a policy test file and reports every problem, not only the first. */
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
