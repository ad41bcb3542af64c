/** Why the agent's socket cannot be served; its message is one line for whoever started the program. */
export class AgentSocketError extends Error {
  readonly code: 'in_use' | 'not_a_socket' | 'no_directory' | 'permission' | 'failed';

  constructor(code: AgentSocketError['code'], message: string) {
    super(message);
    this.name = 'AgentSocketError';
    this.code = code;
  }
}
