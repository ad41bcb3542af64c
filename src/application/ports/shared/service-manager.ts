/**
 * The service manager that started the program and supervises it. No method waits or fails; a
 * failed notification is logged once.
 */
export interface ServiceManager {
  /** This process serves, after its start or a reload. `status`: one line for people. */
  ready(status: string): void;
  /** A reload begins; `ready` ends it. */
  reloading(): void;
  /** The state of the program; one line for people. */
  status(text: string): void;
  /** The program is stopping. */
  stopping(): void;
  /** The interval in which the manager expects `alive`, in milliseconds; null: no watchdog. */
  readonly watchdogMs: number | null;
  alive(): void;
  /** Resolves when all notifications have been sent or given up. */
  told(): Promise<void>;
}
