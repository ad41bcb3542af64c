import { isAbsoluteUri } from '../../http/absolute-uri.js';
import { isPrintableName } from './printable-name.js';

/** Values of `audience` and of `resource` together, at the most; repeated ones count. */
export const maximumTargets = 16;

/** Whether a text can be a value of `audience`. */
export const isAudience = isPrintableName;

/** Whether a text can be a value of `resource` (RFC 8693, section 2.1). */
export const isResource = (value: string): boolean => isPrintableName(value) && isAbsoluteUri(value);
