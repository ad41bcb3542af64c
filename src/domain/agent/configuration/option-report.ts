import type { AdviceId } from '../../configuration/advice-kinds.js';
import type { AgentOptionName, OptionPlace } from '../../configuration/agent-option-problem.js';

/** Takes what is wrong with an option. No text may hold a secret. */
export type OptionReport = (
  option: AgentOptionName,
  message: string,
  suggestion?: string,
  place?: OptionPlace,
  /** The stable name of a warning about safety. */
  id?: AdviceId,
) => void;
