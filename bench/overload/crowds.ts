/** A crowd that stands before the gateway while good clients are measured. */
export interface Crowd {
  readonly kind: 'none' | 'idle' | 'busy' | 'slow' | 'refused' | 'keys';
  readonly count: number;
  readonly describes: string;
}

export const isCrowdKind = (text: string): text is Exclude<Crowd['kind'], 'none'> =>
  crowds.some(({ kind }) => kind === text && kind !== 'none');

export const crowds: readonly Crowd[] = [
  { kind: 'none', count: 0, describes: 'no other clients' },
  { kind: 'idle', count: 10_000, describes: '10 000 idle connections, each after a request' },
  { kind: 'busy', count: 2_000, describes: '2 000 connections, each with a request that the upstream does not answer' },
  { kind: 'slow', count: 5_000, describes: '5 000 clients whose heads never end (slowloris)' },
  { kind: 'refused', count: 100, describes: '1 000 connections per second of one address that has reached its limit' },
  { kind: 'keys', count: 100_000, describes: '100 000 keys of a rate limit, and a steady stream of new ones' },
];
