import { list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, type ScalarKind, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { err } from '../../shared/result.js';
import { type AuthzOptions, agentDefaults, type TemplateLinkOptions } from './agent-configuration.js';
import { claimPath } from './claim-path.js';
import { optionBlock, optionBlocks } from './option-blocks.js';

/** Text that messages and logs show, so it must be written literally. */
const shown = (label: string): ScalarKind<string> => ({
  ...text,
  label,
  read: (scalar) =>
    scalar.hidden
      ? err({ message: 'must be written literally, because messages and logs show it' })
      : text.read(scalar),
});

const templateLinkShape = {
  name: required(shown('string'), 'The id of the policy; also written as `template-link "id" { ... }`.'),
  template: required(shown('string'), 'The id of the template, its annotation `@id`.'),
  principal: optional(shown('string'), 'The entity for `?principal`, as in `Role::"admin"`.'),
  resource: optional(shown('string'), 'The entity for `?resource`.'),
};

/** Any number of `template-link` blocks. */
export const templateLinkBlocks = optionBlocks(
  templateLinkShape,
  'A policy made from a template by filling its slots.',
);

export const toTemplateLinks = (
  blocks: readonly { readonly fields: Fields<typeof templateLinkShape> }[],
): readonly TemplateLinkOptions[] =>
  blocks.map(({ fields }) => ({
    id: fields.name.value,
    template: fields.template.value,
    principal: fields.principal.value,
    resource: fields.resource.value,
  }));

const authzShape = {
  enabled: withDefault(boolean, false, '`#false`', 'Decide every request with policies.'),
  'policy-file': list(
    text,
    'Paths of policy files or folders. A folder stands for its `*.cedar` files in name order, without subfolders: at most 1000 files of at most 4 MiB each.',
  ),
  'policy-inline': list(shown('policy text'), 'Inline policies; several texts are like several files.'),
  'default-decision': withDefault(oneOf(['deny', 'allow']), 'deny', '`deny`', 'The decision if no policy applies.'),
  'on-error': withDefault(
    oneOf(['deny', 'skip']),
    'deny',
    '`deny`',
    'Effect of a forbid policy whose condition fails with an error. A permit policy with an error never matches.',
  ),
  'principal-claim': withDefault(
    text,
    agentDefaults.principalClaim,
    '`sub`',
    'The claim of a token that names the principal. Dots are part of the name and do not lead into objects. A token without the claim is denied. Other credentials name their user directly.',
  ),
  'roles-claim': optional(
    claimPath,
    'The claim with the roles: an array of strings, or one string that is split at spaces and commas. A token with another value is denied. A dotted path leads into objects. For SAML sessions it is an attribute name. Without this option there are no roles.',
  ),
  'strict-policies': withDefault(
    boolean,
    false,
    '`#false`',
    'Policies that refer to something no request can have, such as a misspelt attribute or a role without `roles-claim`, are errors instead of warnings. So are sources without policies.',
  ),
  'shadow-policy-file': list(
    text,
    'Written like `policy-file`. Policies that are evaluated but not enforced: a different decision is logged.',
  ),
  'template-link': templateLinkBlocks,
};

/** The `authz` block. */
export const authzBlock = optionBlock(
  authzShape,
  'Policies in the Cedar language. They are evaluated for every authentication method.',
);

const valuesOf = (located: readonly { readonly value: string }[]): readonly string[] =>
  located.map(({ value }) => value);

export const toAuthzOptions = (fields: Fields<typeof authzShape>): AuthzOptions => ({
  enabled: fields.enabled.value,
  policyFiles: valuesOf(fields['policy-file'].value),
  inlinePolicies: valuesOf(fields['policy-inline'].value),
  defaultDecision: fields['default-decision'].value,
  onError: fields['on-error'].value,
  principalClaim: fields['principal-claim'].value,
  rolesClaim: fields['roles-claim'].value,
  strictPolicies: fields['strict-policies'].value,
  shadowPolicyFiles: valuesOf(fields['shadow-policy-file'].value),
  templateLinks: toTemplateLinks(fields['template-link'].value),
});
