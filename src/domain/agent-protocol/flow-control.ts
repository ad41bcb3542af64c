/** Flow-control actions of an agent, with their wire numbers. */
export const flowControlCodes = { pause: 1, resume: 2, update_capacity: 3 } as const;
export type FlowControlAction = keyof typeof flowControlCodes;

/** An agent's FlowControl message. */
export interface FlowControl {
  /** The request whose body is concerned; null: all requests of the connection. */
  readonly correlationId: string | null;
  readonly action: FlowControlAction;
  /** Octets that the agent can still accept; null: unknown. */
  readonly bufferAvailable: number | null;
}
