import type { AgentOptionText } from '../../../domain/configuration/agent/decode-agent-options.js';

/** Where a config block is read from. */
export interface AgentBlockPlace {
  readonly configFile: string;
  /** Null: the only agent of the file. */
  readonly agentName: string | null;
}

export interface AgentRun {
  /** Flags after variables, so that of two that name one option the flag counts. */
  readonly options: readonly AgentOptionText[];
  readonly block: AgentBlockPlace | null;
  readonly verbose: boolean;
  /** Flags that brought a secret in the clear: whoever can list processes can read it. */
  readonly exposedSecrets: readonly string[];
}

/** What the command line of `gateway-auth` asks for. */
export type AgentCommand =
  | ({ readonly kind: 'run' } & AgentRun)
  /** `--test` and `--validate`: load everything and report. */
  | ({ readonly kind: 'check' } & AgentRun)
  /** Nothing to do but to say this: help and version on the standard output, wrong usage on the other. */
  | { readonly kind: 'say'; readonly text: string; readonly exitCode: 0 | 2 };
