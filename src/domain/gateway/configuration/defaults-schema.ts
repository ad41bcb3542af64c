import { block } from '../../configuration/schema/block-keys.js';
import type { Fields, Key } from '../../configuration/schema/schema.js';
import { isNullSetting, members, type Setting } from '../../configuration/setting/setting.js';
import { routeOnlyPolicy } from './default-policies.js';
import { policiesShape } from './policies-schema.js';

const policies = block(
  policiesShape,
  'Policies of every route, with the keys of `policies` of a route except `forward-identity-headers`. Header rules are merged by header name; any other key of a route replaces that of `defaults`; `#null` takes it away. Built-in routes take header rules, `cors` and `error-pages` only.',
);

const isRouteOnly = (member: Setting): boolean => member.name === routeOnlyPolicy && !isNullSetting(member);

/** The members that count. `#null` has no meaning in `defaults`. */
const withoutNulls = (setting: Setting): Setting => ({
  ...setting,
  properties: [],
  children: members(setting).filter(
    (member) =>
      member.name !== routeOnlyPolicy && !(isNullSetting(member) && Object.hasOwn(policiesShape, member.name)),
  ),
});

/** `policies` of `defaults`. */
const defaultPolicies: Key<Fields<typeof policiesShape>> = {
  ...policies,
  document: { ...policies.document, type: 'block, as `policies` of a route' },
  read: (name, settings, context) => {
    for (const { position } of settings.flatMap(members).filter(isRouteOnly)) {
      context.report.add(
        `"${routeOnlyPolicy}" is not valid in defaults: it would open every route to forged identities`,
        {
          position,
          path: [...context.path, name],
          suggestion: `write ${routeOnlyPolicy} in the policies of each route that needs it`,
        },
      );
    }
    return policies.read(name, settings.map(withoutNulls), context);
  },
};

export const defaults = block(
  { policies: defaultPolicies },
  'What holds for every route, and for the responses to requests without a route.',
);
