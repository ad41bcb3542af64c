import type { UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';

/** Where a connection could not be opened because no file descriptor is free: no fault of its target. Null: another reason. */
export const descriptorShortage = (error: Error): UpstreamFailure | null => {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EMFILE' && code !== 'ENFILE') return null;
  return { code: 'overloaded', isOutOfDescriptors: true, detail: `no file descriptor is free: ${error.message}` };
};
