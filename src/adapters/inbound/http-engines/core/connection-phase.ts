/**
 * What a connection is at: `fresh`: nothing has come; `head`: some of a head; `idle`: nothing since the last exchange;
 * `exchange`: a request is being answered; `flushing`: the answer is on its way to the system; `lingering`: it is there, and
 * the rest of the request is read and dropped; behind the last response, all that comes; `over`: it has ended; `given`: the
 * connection has left HTTP.
 */
export type ConnectionPhase = 'fresh' | 'head' | 'idle' | 'exchange' | 'flushing' | 'lingering' | 'over' | 'given';
