/** Whoever started the program and watches it. Nothing here waits or fails: what cannot be told is logged once. */
export interface ServiceManager {
  /** The program serves, after its start or a reload, as this process. `status`: one line for people. */
  ready(status: string): void;
  /** A reload begins; `ready` says that it is over. */
  reloading(): void;
  /** How the program is; one line for people. */
  status(text: string): void;
  /** The program ends. */
  stopping(): void;
  /** How often it wants to hear `alive`, in milliseconds; null: it does not. */
  readonly watchdogMs: number | null;
  alive(): void;
  /** Resolves once all is told, or given up. */
  told(): Promise<void>;
}
