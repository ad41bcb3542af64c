import type { ReadAgent } from '../../gateway/configuration/read-gateway.js';
import type { ProblemReport } from '../schema/problem-report.js';
import { triedOptions } from './tried-options.js';

/** Whether policies may decide; a block that cannot be read may enable them. */
const mayAuthorize = (agent: ReadAgent): boolean => {
  const { authz } = triedOptions(agent).fields;
  if (!authz.given) return false;
  return !authz.sound || authz.value === null || !authz.value.enabled.sound || authz.value.enabled.value;
};

/** Letting requests go on unjudged is a choice that somebody has to see, and none where policies decide. */
export const checkFailureMode = (agent: ReadAgent, report: ProblemReport): void => {
  const { 'failure-mode': mode } = agent.fields;
  if (!mode.sound || mode.value !== 'open') return;
  const place = { position: mode.position, path: ['agents', `agent "${agent.name.value}"`] };
  if (mayAuthorize(agent)) {
    report.add('failure-mode "open" cannot stand with authz: what policies forbid would pass without the agent', {
      ...place,
      suggestion: 'write failure-mode "closed", or leave it out',
    });
    return;
  }
  report.add(`failure-mode "open": without an answer of agent "${agent.name.value}" requests go on unjudged`, {
    ...place,
    severity: 'warning',
    id: 'agent-fails-open',
  });
};
