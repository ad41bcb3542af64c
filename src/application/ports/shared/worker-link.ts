/** A message between supervisor and worker: plain data for a structured clone. */
export interface LinkMessage {
  readonly topic: string;
  /** Links a reply to its call; null in a notification. */
  readonly id: number | null;
  readonly isAnswer: boolean;
  readonly body: unknown;
}

/**
 * One end of the connection between supervisor and worker. Delivers messages in order and exactly
 * once, or closes.
 */
export interface WorkerLink {
  /**
   * Dropped if the link is closed. `attachment`: a handle that only the system can pass on, such as
   * a socket, or null.
   */
  send(message: LinkMessage, attachment: object | null): void;
  /** Called once. */
  onMessage(listener: (message: LinkMessage, attachment: object | null) => void): void;
  /** Called once. The listener is called once, even if the link is already closed. */
  onClosed(listener: () => void): void;
  readonly isClosed: boolean;
}
