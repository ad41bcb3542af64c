/** The outcome of starting a successor. */
export type SuccessorOutcome =
  /** It serves on the same sockets. */
  { readonly kind: 'serves' } | { readonly kind: 'failed'; readonly reason: string };

/** A process of the program on disk that is to replace this one. */
export interface Successor {
  readonly pid: number;
  /** Settles once and never rejects. Stays pending while the successor neither serves nor ends. */
  readonly outcome: Promise<SuccessorOutcome>;
  /** Resolves when its process has ended. */
  readonly ended: Promise<void>;
  /** Orders it to end without taking over. */
  abandon(): void;
  /** Kills its process. */
  kill(): void;
}

/** Starts the program on disk with the arguments and sockets of this process. */
export interface SuccessorLauncher {
  /** Throws if no process can be started. */
  launch(): Successor;
}
