import type { AgentOptionProblem } from '../../configuration/agent-option-problem.js';
import type { AuthzOptions, TemplateLinkOptions } from './agent-configuration.js';
import type { OptionReport } from './option-report.js';

/** Paths must be distinct: policies that are loaded twice would have conflicting ids. */
const checkPaths = (key: 'policy-file' | 'shadow-policy-file', paths: readonly string[], error: OptionReport): void => {
  const seen = new Set<string>();
  for (const path of paths) {
    if (seen.has(path)) error('authz', `${key}: ${path} is listed twice`, undefined, { key });
    seen.add(path);
  }
};

const checkLinks = (links: readonly TemplateLinkOptions[], error: OptionReport): void => {
  const ids = new Set<string>();
  for (const { id, principal, resource } of links) {
    const place = { key: 'template-link' };
    if (ids.has(id)) error('authz', `template-link "${id}": an earlier one already has that id`, undefined, place);
    ids.add(id);
    if (principal === null && resource === null) {
      const message = `template-link "${id}": neither principal nor resource is set`;
      error('authz', message, 'fill at least one slot of the template', place);
    }
  }
};

/** The problem of missing policies: the same whether no source is named, or the sources are empty. */
export const noPolicies = (defaultDecision: AuthzOptions['defaultDecision']): AgentOptionProblem =>
  defaultDecision === 'deny'
    ? {
        severity: 'error',
        option: 'authz',
        message: 'there are no policies, and default-decision is deny: every request would be denied',
        suggestion: 'set policy-file or policy-inline',
      }
    : {
        severity: 'warning',
        option: 'authz',
        message: 'there are no policies, and default-decision is allow: every request is allowed',
        suggestion: null,
        place: { key: 'default-decision' },
      };

/** Checks the `authz` block except the policies; null if it is not enabled. */
export const enabledAuthz = (
  authz: AuthzOptions | undefined,
  error: OptionReport,
  warn: OptionReport,
): AuthzOptions | null => {
  if (authz === undefined) return null;
  checkPaths('policy-file', authz.policyFiles, error);
  checkPaths('shadow-policy-file', authz.shadowPolicyFiles, error);
  checkLinks(authz.templateLinks, error);
  if (!authz.enabled) {
    const message = 'it is disabled: policies are ignored, and every authenticated request is allowed';
    warn('authz', message, 'set enabled to #true', { key: 'enabled' }, 'authorization-is-off');
    return null;
  }
  if (authz.policyFiles.length + authz.inlinePolicies.length > 0) return authz;
  const { severity, message, suggestion, place } = noPolicies(authz.defaultDecision);
  const report = severity === 'error' ? error : warn;
  report('authz', message, suggestion ?? undefined, place);
  return authz;
};
