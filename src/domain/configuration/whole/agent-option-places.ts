import { agentOptionField, agentOptionsShape } from '../../agent/configuration/agent-options-schema.js';
import { inlinePolicyPlace } from '../../agent/configuration/inline-policies.js';
import type { ReadAgent } from '../../gateway/configuration/read-gateway.js';
import type { AgentOptionLocator } from '../agent-option-problem.js';
import { type LineLookup, ProblemReport, type TextPlaceLookup } from '../schema/problem-report.js';
import { readMembers } from '../schema/read-block.js';

export const agentOptionLocator =
  (agents: readonly ReadAgent[], lines: LineLookup, places: TextPlaceLookup): AgentOptionLocator =>
  (agent, { option, place, source }) => {
    const settings = agents.find(({ name }) => name.value === agent)?.fields.config.value ?? null;
    if (settings === null || (place?.key === undefined && source === undefined)) return null;
    // What reading them has to say was said when the configuration was read.
    const report = new ProblemReport(() => null);
    const fields = readMembers(agentOptionsShape, settings, { report, path: [], position: null });
    if (source !== undefined) {
      const inline = inlinePolicyPlace(source.position, fields.authz.value?.['policy-inline'].value ?? [], places);
      return inline === null ? null : { position: inline, line: lines(inline, false) };
    }
    const { position } = agentOptionField(fields, option, place);
    if (position === null) return null;
    return { position, line: place?.isConcealed === true ? null : lines(position, false) };
  };
