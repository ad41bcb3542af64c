import { agentOptionField, agentOptionsShape } from '../agent/agent-options-schema.js';
import { inlinePolicyPlace } from '../agent/inline-policies.js';
import type { AgentOptionProblem, OptionSource } from '../agent-configuration.js';
import { type LineLookup, ProblemReport, type TextPlaceLookup } from '../schema/problem-report.js';
import { readMembers } from '../schema/read-block.js';
import type { ReadAgent } from './read-gateway.js';

/**
 * Finds where a problem with an option of an agent, known by its name, stands in the configuration: in the policy in place, at the key that its place names,
 * or at the block where the key was not written. Null: it names no key, or there is nothing of it in the file.
 */
export type AgentOptionLocator = (
  agent: string,
  problem: Pick<AgentOptionProblem, 'option' | 'place' | 'source'>,
) => OptionSource | null;

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
