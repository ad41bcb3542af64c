/** Why the agent cannot serve gRPC; its message is one line for whoever started the program. */
export class AgentGrpcError extends Error {
  readonly code: 'in_use' | 'address' | 'permission' | 'certificate' | 'failed';

  constructor(code: AgentGrpcError['code'], message: string) {
    super(message);
    this.name = 'AgentGrpcError';
    this.code = code;
  }
}
