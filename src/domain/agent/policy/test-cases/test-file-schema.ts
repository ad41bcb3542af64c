import { custom } from '../../../configuration/schema/block-keys.js';
import { inside, readMembers, refuseRepetition } from '../../../configuration/schema/read-block.js';
import { list, optional, required, withDefault } from '../../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, text } from '../../../configuration/schema/scalar-kind.js';
import type { Fields, Key, Shape } from '../../../configuration/schema/schema.js';
import { members, type Setting } from '../../../configuration/setting/setting.js';
import { settingsToJson } from '../../../configuration/setting/setting-json.js';
import { agentDefaults } from '../../configuration/agent-configuration.js';
import { templateLinkBlocks } from '../../configuration/authz-block.js';
import { claimPath } from '../../configuration/claim-path.js';
import { optionBlock, optionBlocks } from '../../configuration/option-blocks.js';
import type { Claims, ClaimValue } from '../../tokens/claims.js';
import { parseClaims } from '../../tokens/parse-claims.js';
import { clientAddressKind, hostKind, queryText, requestMethod, requestPathKind } from './request-kinds.js';
import { sketchedMethods } from './sketched-identity.js';

/** The argument of a block as one of its members. */
const allMembers = (setting: Setting, label: string): readonly Setting[] => {
  const { args, position } = setting;
  const labelled: Setting = { name: label, args, properties: [], children: null, position, listed: false };
  return args.length === 0 ? members(setting) : [labelled, ...members(setting)];
};

/** A setting whose argument is a member of the block that may follow: `resource "/reports" { host "a.example" }`. */
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

/** The same, where it has to be there. */
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

/** A block whose members are claims, or a text with a JSON object, in which a list of one item can be told from the item. */
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
  id: optional(text, 'Its name: the user id, or for tokens the claim that `principal-claim` names.'),
  roles: list(text, 'Its roles, as the claim that `roles-claim` names would give them.'),
  claims,
  'auth-method': withDefault(oneOf(sketchedMethods), 'jwt', '`jwt`', 'How it was authenticated.'),
};

const resourceShape = {
  path: required(requestPathKind, 'The path of the request.'),
  host: optional(hostKind, 'The Host header.'),
  query: withDefault(queryText, '', 'none', 'The query, without the question mark.'),
};

const contextShape = {
  'client-ip': optional(clientAddressKind, "The client's address; without it the context has no `client_ip`."),
  'correlation-id': optional(text, 'The id of the request.'),
};

const expectationShape = {
  decision: required(oneOf(['allow', 'deny']), 'What is to be decided.'),
  policies: list(text, 'Exactly the policies that are to decide it. `#null`: none, so that `default-decision` does.'),
};

export const testCaseShape = {
  name: required(text, 'What it shows; each name once.'),
  principal: labelledBlock('id', principalShape, 'Who makes the request.'),
  anonymous: withDefault(
    boolean,
    false,
    '`#false`',
    'In place of `principal`: a request without an identity, as fail-open passes it on.',
  ),
  action: required(requestMethod, 'The method of the request.'),
  resource: requiredBlock('path', resourceShape, 'What is asked for.'),
  context: optionBlock(contextShape, 'What else is known.'),
  expect: requiredBlock('decision', expectationShape, 'What is to come of it.'),
};

/** Everything that a policy test file can hold. */
export const testFileShape = {
  policies: list(text, 'Files and folders of policies, from the folder of the test file on.'),
  'default-decision': withDefault(oneOf(['deny', 'allow']), 'deny', '`deny`', 'As in the `authz` block.'),
  'on-error': withDefault(oneOf(['deny', 'skip']), 'deny', '`deny`', 'As in the `authz` block.'),
  'principal-claim': withDefault(text, agentDefaults.principalClaim, '`sub`', 'As in the `authz` block.'),
  'roles-claim': withDefault(claimPath, 'roles', '`roles`', 'As in the `authz` block, which has no default.'),
  'template-link': templateLinkBlocks,
  case: optionBlocks(testCaseShape, 'One request, and what is to come of it.'),
};

export type TestFileFields = Fields<typeof testFileShape>;
export type TestCaseFields = Fields<typeof testCaseShape>;
