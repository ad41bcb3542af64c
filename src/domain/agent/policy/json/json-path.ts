import { quotedName } from '../shortened-text.js';

/** A key of an object, or an index of an array. */
export type JsonStep = string | number;

/** A longer key is quoted, and cut. */
const longestPlain = 40;
const plainKey = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Steps from the outside in, as one would write them: `[0].attrs["first name"]`. Empty where there are none. */
export const jsonPath = (steps: readonly JsonStep[]): string =>
  steps
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return step.length <= longestPlain && plainKey.test(step) ? `.${step}` : `[${quotedName(step)}]`;
    })
    .join('');
