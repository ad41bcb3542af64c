import type { RecordValue, Value } from './value.js';

/** A record with these attributes. The last of several equal names wins. */
export const recordOf = (entries: Iterable<readonly [string, Value]>): RecordValue => ({
  kind: 'record',
  attributes: new Map(entries),
});

export const emptyRecord: RecordValue = recordOf([]);
