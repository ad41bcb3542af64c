import type { ListeningSockets } from './listening-sockets.js';

/**
 * The sockets that a supervisor holds for its workers, by key. It never accepts on them itself; `listenable` of each is what a link passes on as
 * an attachment.
 */
export interface SharedSockets extends ListeningSockets {
  /** Closes those of other keys here. */
  keep(keys: ReadonlySet<string>): void;
}
