import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import type { Decide } from './policies.js';

/** The official engine with a set of policies that it has parsed. */
export const officialEngine = (name: string, policies: string): Decide => {
  const parsed = preparsePolicySet(name, { staticPolicies: policies });
  if (parsed.type === 'failure') throw new Error(parsed.errors.map(({ message }) => message).join('; '));
  return ({ principal, roles, method, path }) => {
    const user = { type: 'User', id: principal };
    const resource = { type: 'Resource', id: path };
    const answer = statefulIsAuthorized({
      principal: user,
      action: { type: 'Action', id: method },
      resource,
      context: {
        roles: [...roles],
        claims: {},
        method,
        client_ip: { __extn: { fn: 'ip', arg: '192.0.2.7' } },
        auth_method: 'jwt',
        correlation_id: 'bench',
      },
      preparsedPolicySetId: name,
      entities: [
        {
          uid: user,
          attrs: { id: principal, roles: [...roles], claims: {} },
          parents: roles.map((id) => ({ type: 'Role', id })),
        },
        { uid: resource, attrs: { path, host: 'api.bench.example', query: '' }, parents: [] },
      ],
    });
    if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('; '));
    return answer.response.decision;
  };
};
