/** What passes between a supervisor and one of its workers: plain data, as a structured clone takes it. */
export interface LinkMessage {
  readonly topic: string;
  /** What an answer refers to; null in a notice, which has none. */
  readonly id: number | null;
  readonly isAnswer: boolean;
  readonly body: unknown;
}

/** Both ends of a connection between a supervisor and one worker. Messages come in order, each once, or the link is closed. */
export interface WorkerLink {
  /** Is lost where the link is closed. `attachment`: what the system alone can pass on, as a socket; null: nothing. */
  send(message: LinkMessage, attachment: object | null): void;
  /** Called once. */
  onMessage(listener: (message: LinkMessage, attachment: object | null) => void): void;
  /** Called once; the listener is called once, also where the link is closed already. */
  onClosed(listener: () => void): void;
  readonly isClosed: boolean;
}
