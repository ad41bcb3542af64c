/** What an agent asks of the gateway's pace; the numbers are those of the wire. */
export const flowControlCodes = { pause: 1, resume: 2, update_capacity: 3 } as const;
export type FlowControlAction = keyof typeof flowControlCodes;

/** An agent's FlowControl message. */
export interface FlowControl {
  /** The request whose body it is about; null: everything on the connection that it came by. */
  readonly correlationId: string | null;
  readonly action: FlowControlAction;
  /** Octets that the agent can still take; null where it does not say. */
  readonly bufferAvailable: number | null;
}
