import type { Result } from '../../../domain/shared/result.js';
import type { Cancellation } from '../shared/cancellation.js';
import type { KeySetFailure } from './key-set-source.js';

/** Fetches metadata of identity providers. Time and size (4 MiB) of an answer are bounded; redirects are not followed. */
export interface MetadataSource {
  /** The text of the answer. Never rejects. */
  fetch(url: string, cancellation: Cancellation): Promise<Result<string, KeySetFailure>>;
}
