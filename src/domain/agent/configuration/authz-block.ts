import { list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, type ScalarKind, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { err } from '../../shared/result.js';
import { type AuthzOptions, agentDefaults, type TemplateLinkOptions } from './agent-configuration.js';
import { claimPath } from './claim-path.js';
import { optionBlock, optionBlocks } from './option-blocks.js';

/** Text that messages and logs may show, so that it has to stand where it is used. */
const shown = (label: string): ScalarKind<string> => ({
  ...text,
  label,
  read: (scalar) =>
    scalar.hidden ? err({ message: 'must stand where it is used: messages and logs show it' }) : text.read(scalar),
});

const templateLinkShape = {
  name: required(shown('string'), 'The id of the policy; also written as `template-link "id" { ... }`.'),
  template: required(shown('string'), 'The id of the template, its annotation `@id`.'),
  principal: optional(shown('string'), 'The entity that stands for `?principal`, as in `Role::"admin"`.'),
  resource: optional(shown('string'), 'The entity that stands for `?resource`.'),
};

/** `template-link` blocks, any number of them. */
export const templateLinkBlocks = optionBlocks(templateLinkShape, 'A policy made of a template, by filling its slots.');

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
  enabled: withDefault(boolean, false, '`#false`', 'Let policies decide about every request.'),
  'policy-file': list(
    text,
    'Paths of policy files. Of a folder every `*.cedar` in it counts, in the order of their names, and none of its folders: 1000 files at most, each of 4 MiB at most.',
  ),
  'policy-inline': list(shown('policy text'), 'Policies in place; several texts are like several files.'),
  'default-decision': withDefault(oneOf(['deny', 'allow']), 'deny', '`deny`', 'The decision where no policy decides.'),
  'on-error': withDefault(
    oneOf(['deny', 'skip']),
    'deny',
    '`deny`',
    'What a forbid policy does whose condition fails with an error. A permit policy never matches then.',
  ),
  'principal-claim': withDefault(
    text,
    agentDefaults.principalClaim,
    '`sub`',
    'The claim of a token that names the principal: a claim of its own, with that very name, for dots do not lead into objects here. A token without it is denied. Other credentials name the user they are of.',
  ),
  'roles-claim': optional(
    claimPath,
    'The claim with the roles: an array of strings, or one string that is split at spaces and commas; a token in which it is something else is denied. A dotted path leads into objects. For SAML sessions it is the name of an attribute. Without it nobody has roles.',
  ),
  'strict-policies': withDefault(
    boolean,
    false,
    '`#false`',
    'A policy that names what no request can have, such as a misspelt attribute or a role without `roles-claim`, is an error instead of a warning, and so is a source without any policy.',
  ),
  'shadow-policy-file': list(
    text,
    'Written like `policy-file`. Policies that are evaluated beside all the others and never enforced: where they would decide otherwise it is logged.',
  ),
  'template-link': templateLinkBlocks,
};

/** The `authz` block. */
export const authzBlock = optionBlock(
  authzShape,
  'Policies, in the Cedar language, that say who may do what. They are evaluated whatever the method of authentication was.',
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
