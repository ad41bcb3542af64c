/** What became of a program that was to succeed this one. */
export type SuccessorOutcome =
  /** It serves, on the same sockets. */
  { readonly kind: 'serves' } | { readonly kind: 'failed'; readonly reason: string };

/** The program on disk, started to take this one's place. */
export interface Successor {
  readonly pid: number;
  /** Settles once, and never rejects; not at all where the successor neither serves nor ends. */
  readonly outcome: Promise<SuccessorOutcome>;
  /** Resolves when its process has ended. */
  readonly ended: Promise<void>;
  /** Tells it that it is not to take over, and to end. */
  abandon(): void;
  /** Ends it, whatever it does. */
  kill(): void;
}

/** Starts the program that is on disk now, as this one was started, with its sockets. */
export interface SuccessorLauncher {
  /** Throws where no process can be started. */
  launch(): Successor;
}
