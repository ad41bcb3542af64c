/** A crowd that stands before the gateway while good clients are measured. */
export interface Crowd {
  readonly kind: 'none' | 'idle' | 'slow' | 'refused' | 'keys';
  readonly count: number;
  readonly describes: string;
}

export const isCrowdKind = (text: string): text is Exclude<Crowd['kind'], 'none'> =>
  text === 'idle' || text === 'slow' || text === 'refused' || text === 'keys';

export const crowds: readonly Crowd[] = [
  { kind: 'none', count: 0, describes: 'nobody else' },
  { kind: 'idle', count: 10_000, describes: '10 000 idle connections, each after a request' },
  { kind: 'slow', count: 5_000, describes: '5 000 clients whose heads never end (slowloris)' },
  { kind: 'refused', count: 100, describes: '1 000 connections a second of one address that has all it may have' },
  { kind: 'keys', count: 100_000, describes: '100 000 keys of a rate limit, and new ones all the time' },
];
