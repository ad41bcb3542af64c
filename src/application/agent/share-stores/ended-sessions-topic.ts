import { topic } from '../../shared/worker-channel/worker-call.js';
import type { EndedSessions } from '../sessions/session-endings.js';

/** From a worker to the supervisor, and from there to every other worker: answered once who is asked counts them no more. */
export const endedSessions = topic<EndedSessions, null>('sessions ended');
