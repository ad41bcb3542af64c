import { parseStrictObject } from '../../shared/strict-json.js';
import type { Claims, SpelledNumber } from './claims.js';
import { exactNumber } from './exact-number.js';

/** Reads claims, as strictly as `parseStrictJsonObject` reads JSON, and every number exactly. */
export const parseClaims = (text: string): Claims | null =>
  parseStrictObject<bigint | SpelledNumber>(text, exactNumber);
