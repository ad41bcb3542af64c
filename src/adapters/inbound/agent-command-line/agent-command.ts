import type { AgentOptionText } from '../../../domain/agent/configuration/decode-agent-options.js';
import type { PasswordAlgorithm } from '../../../domain/agent/identity/new-password.js';

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

/** `hash-password` and `hash-key`: secrets made ready for a configuration. */
export type HashCommand =
  /** With a user, the whole entry is wanted. */
  | { readonly kind: 'hash-password'; readonly algorithm: PasswordAlgorithm; readonly user: string | null }
  /** With a name, the whole entry is wanted. */
  | { readonly kind: 'hash-key'; readonly generate: boolean; readonly name: string | null };

/** What the command line of `gateway-auth` asks for. */
export type AgentCommand =
  | ({ readonly kind: 'run' } & AgentRun)
  /** `--test` and `--validate`: load everything and report. */
  | ({ readonly kind: 'check' } & AgentRun)
  | HashCommand
  /** Nothing to do but to say this: help and version on the standard output, wrong usage on the other. */
  | { readonly kind: 'say'; readonly text: string; readonly exitCode: 0 | 2 };
