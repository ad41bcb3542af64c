import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import { type Err, err } from '../../../domain/shared/result.js';

export const documentFailure = (code: KeySetFailure['code'], detail: string): Err<KeySetFailure> =>
  err({ code, detail });
